// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The limits of a run as settings of a cgroup: which file gets which text. Pure functions with
// golden tests; apply_settings() writes them. Sources: Documentation/admin-guide/cgroup-v2.rst,
// cgroup-v1/memory.rst, cgroup-v1/pids.rst, scheduler/sched-bwc.rst.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "confine/cgroup_place.h"
#include "sys/cgroup.h"

namespace ward::confine {

struct IoLimit {
  std::string device;                             // "254:0", a whole disk
  std::optional<std::uint64_t> bytes_per_second;  // for reads and for writes
  std::optional<std::uint64_t> operations_per_second;
};

struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> pids;  // of the command; the sandbox's init is added
  std::optional<double> cpus;
  std::optional<IoLimit> io;
};

// The sandbox's init is in the group beside the command's processes.
inline constexpr std::uint64_t kOwnProcesses = 1;

// The controllers that the limits need, each once.
std::vector<Controller> controllers_of(const CgroupLimits& limits);

enum class Need : unsigned char {
  must,
  where_present,  // a file that kernels without swap accounting do not have
};
struct Setting {
  std::string file;
  std::string text;
  Need need = Need::must;
  bool operator==(const Setting&) const = default;
};

std::vector<Setting> settings_v2(const CgroupLimits& limits);
std::vector<Setting> settings_v1(const CgroupLimits& limits, Controller controller);
Status apply_settings(const std::vector<Setting>& settings, const sys::Cgroup& group);

}  // namespace ward::confine
