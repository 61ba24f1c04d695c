// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ProcessMark: which process it was, beyond the reuse of its pid: pid, start time, boot, pid
// namespace. A run's start record carries its supervisor's, so that a later reader can tell a run
// that goes on from one that was killed. Values; reads /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace ward::journal {

struct ProcessMark {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;    // since boot, /proc/PID/stat field 22
  std::string boot = {};            // /proc/sys/kernel/random/boot_id
  std::uint64_t pid_namespace = 0;  // its inode
  bool operator==(const ProcessMark&) const = default;
};

Result<ProcessMark> mark_of_self();

enum class Liveness {
  running,
  gone,
  unknown,  // it lives, or lived, in another pid namespace, or /proc does not say
};
Liveness liveness(const ProcessMark& mark);

}  // namespace ward::journal
