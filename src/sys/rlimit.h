// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Resource limits of one process. set_rlimit is safe between fork and exec: no allocation, no lock.
// Source: getrlimit(2); RLIMIT_NPROC counts per user namespace from Linux 5.14.
#pragma once

#include <sys/resource.h>

#include <cerrno>
#include <cstdint>

namespace ward::sys {

// One limit, soft and hard alike.
struct Rlimit {
  int resource = 0;
  std::uint64_t value = 0;
};

// Sets soft and hard limit to `limit.value`, or to the present hard limit where that is lower.
// Returns 0 or the errno.
inline int set_rlimit(const Rlimit& limit) {
  struct rlimit current;
  if (::getrlimit(static_cast<__rlimit_resource_t>(limit.resource), &current) < 0) return errno;
  const rlim_t value = limit.value < current.rlim_max ? limit.value : current.rlim_max;
  const struct rlimit wanted = {value, value};
  return ::setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &wanted) < 0 ? errno : 0;
}

}  // namespace ward::sys
