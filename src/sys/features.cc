// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/features.h"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace ward::sys {

int landlock_abi() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

Error explain_failure(Feature feature, int os_errno, std::string op) {
  return Error::from_errno(os_errno, std::move(op) + " (" + std::string(name_of(feature)) + ")");
}

}  // namespace ward::sys
