// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Why a feature is not available: from the errno and from what the machine says about itself. The
// facts are read once and are a plain value, so that a test can state any machine. Sources:
// namespaces(7), user_namespaces(7), the sysctl documentation of the kernel, Debian's
// kernel.unprivileged_userns_clone, AppArmor's kernel.apparmor_restrict_unprivileged_userns.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "sys/features.h"

namespace ward::sys {

struct MachineFacts {
  uid_t uid = 0;
  std::string program;                            // this program's own path
  std::optional<long> unprivileged_userns_clone;  // unset where the kernel has no such setting
  std::optional<long> apparmor_restricts_userns;
  std::optional<long> max_user_namespaces;
  std::optional<long> max_of_this_kind;  // user.max_net_namespaces and its like
  bool selinux_enforces = false;
  bool seccomp_filtered = false;  // this process is under somebody's filter already
  bool in_container = false;
  bool chrooted = false;
  bool kernel_has_kind = true;   // /proc/self/ns/KIND is there
  std::string security_modules;  // /sys/kernel/security/lsm
};
MachineFacts read_facts(Feature feature);

struct Cause {
  std::string cause;  // "" where nothing but the errno is known
  std::string remedy;
};
Cause cause_of(Feature feature, int os_errno, const MachineFacts& facts);

}  // namespace ward::sys
