// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/file_lock.h"

#include <sys/file.h>

#include <cerrno>
#include <string>

namespace ward::sys {

Status try_lock(int fd, LockMode mode) {
  const int operation = mode == LockMode::shared ? LOCK_SH : LOCK_EX;
  if (::flock(fd, operation | LOCK_NB) != 0)
    return fail_errno(errno, "lock fd " + std::to_string(fd));
  return {};
}

void unlock(int fd) { ::flock(fd, LOCK_UN); }

}  // namespace ward::sys
