// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The limits of a run as the text of cgroup files.
#include "confine/cgroup_limits.h"

#include <algorithm>

namespace ward::confine {
namespace {

constexpr std::uint64_t kPeriodUs = 100000;
constexpr std::uint64_t kLeastQuotaUs = 1000;  // the kernel refuses less

std::string quota_us(double cpus) {
  const double quota = cpus * static_cast<double>(kPeriodUs);
  return std::to_string(std::max(kLeastQuotaUs, static_cast<std::uint64_t>(quota)));
}

// Over what a machine can have at all the kernel takes no number.
std::string pids_text(std::uint64_t pids) {
  constexpr std::uint64_t kMostProcesses = 4194304;  // PID_MAX_LIMIT
  return pids < kMostProcesses ? std::to_string(pids + kOwnProcesses) : "max";
}

std::string io_line(const IoLimit& io) {
  std::string line = io.device;
  if (io.bytes_per_second) {
    const std::string value = std::to_string(*io.bytes_per_second);
    line += " rbps=" + value + " wbps=" + value;
  }
  if (io.operations_per_second) {
    const std::string value = std::to_string(*io.operations_per_second);
    line += " riops=" + value + " wiops=" + value;
  }
  return line;
}

}  // namespace

std::vector<Controller> controllers_of(const CgroupLimits& limits) {
  std::vector<Controller> needed;
  // Writes are charged to the group that dirtied the page only where memory is counted too.
  if (limits.memory_bytes || limits.io) needed.push_back(Controller::memory);
  if (limits.cpus) needed.push_back(Controller::cpu);
  if (limits.pids) needed.push_back(Controller::pids);
  if (limits.io) needed.push_back(Controller::io);
  return needed;
}

std::vector<Setting> settings_v2(const CgroupLimits& limits) {
  std::vector<Setting> settings;
  if (limits.memory_bytes) {
    settings.push_back({"memory.max", std::to_string(*limits.memory_bytes), Need::must});
    // Memory means memory: what cannot be swapped out is what the limit holds.
    settings.push_back({"memory.swap.max", "0", Need::where_present});
    // The run ends as a whole; half a build is no result.
    settings.push_back({"memory.oom.group", "1", Need::must});
  }
  if (limits.pids) settings.push_back({"pids.max", pids_text(*limits.pids), Need::must});
  if (limits.cpus)
    settings.push_back(
        {"cpu.max", quota_us(*limits.cpus) + " " + std::to_string(kPeriodUs), Need::must});
  if (limits.io) settings.push_back({"io.max", io_line(*limits.io), Need::must});
  return settings;
}

std::vector<Setting> settings_v1(const CgroupLimits& limits, Controller controller) {
  switch (controller) {
    case Controller::memory: {
      if (!limits.memory_bytes) return {};
      const std::string bytes = std::to_string(*limits.memory_bytes);
      return {{"memory.limit_in_bytes", bytes, Need::must},
              {"memory.memsw.limit_in_bytes", bytes, Need::where_present}};
    }
    case Controller::cpu:
      if (!limits.cpus) return {};
      return {{"cpu.cfs_period_us", std::to_string(kPeriodUs), Need::must},
              {"cpu.cfs_quota_us", quota_us(*limits.cpus), Need::must}};
    case Controller::pids:
      if (!limits.pids) return {};
      return {{"pids.max", pids_text(*limits.pids), Need::must}};
    case Controller::io: return {};
  }
  return {};
}

Status apply_settings(const std::vector<Setting>& settings, const sys::Cgroup& group) {
  for (const Setting& setting : settings) {
    if (setting.need == Need::where_present && !group.has(setting.file)) continue;
    WARD_TRY(group.write(setting.file, setting.text));
  }
  return {};
}

}  // namespace ward::confine
