// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// RunCgroup: the cgroup of one run, made where cgroup_place.h says, with its limits set, its
// figures read and its processes killed and removed at the end. Groups are named by the process
// that owns the run, so that what a killed ward leaves is told from what a living one uses. Owned
// by ResourceLimits; one thread. Sources: cgroups(7), Documentation/admin-guide/cgroup-v2.rst and
// cgroup-v1/{memory,pids}.rst.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/cgroup_limits.h"
#include "confine/cgroup_place.h"
#include "sys/cgroup.h"

namespace ward::confine {

// The whole disk of the file system that `path` is on, as "major:minor".
Result<std::string> disk_of(const std::string& path);

// "ward-PIDNS-PID-START-RUN": whose run the group belongs to.
Result<std::string> group_name(std::string_view run_id);
// Whether `name` is such a name of this pid namespace and its owner is gone.
bool is_stale_group(std::string_view name);
// Kills what is in the stale groups below `parent` and removes them; returns their names.
std::vector<std::string> sweep_stale_groups(const std::string& parent);
// The directories where this user's runs make their groups on this machine.
std::vector<std::string> group_parents(const CgroupMachine& machine);

class RunCgroup {
 public:
  static Result<std::unique_ptr<RunCgroup>> make(const CgroupLimits& limits,
                                                 std::string_view run_id);
  ~RunCgroup();
  RunCgroup(const RunCgroup&) = delete;
  RunCgroup& operator=(const RunCgroup&) = delete;

  Status attach(pid_t init);
  int out_of_memory_fd() const { return memory_event_.get(); }
  bool out_of_memory() const;
  std::optional<std::uint64_t> refused_processes() const;

  // Each is unset where the kernel does not tell.
  std::optional<std::chrono::microseconds> cpu_user() const;
  std::optional<std::chrono::microseconds> cpu_system() const;
  std::optional<std::uint64_t> peak_memory_bytes() const;
  std::optional<std::uint64_t> read_bytes() const;
  std::optional<std::uint64_t> written_bytes() const;

  Status kill_all();
  Status remove();
  std::string describe() const;

 private:
  RunCgroup(CgroupLimits limits, CgroupMachine machine, CgroupPlace place, std::string name);
  Status make_groups();
  Status make_v1();
  Status make_v2(const std::string& parent);
  Status split_own();
  Status rejoin_own();
  Status start_scope_with(pid_t init);
  Result<pid_t> start_holder();
  void end_holder();
  std::optional<std::string> read_v2(const char* file) const;
  const sys::Cgroup* v1_of(Controller controller) const;

  struct Group {
    sys::Cgroup group;
    std::vector<Controller> controllers;
  };

  CgroupLimits limits_;
  CgroupMachine machine_;
  CgroupPlace place_;
  std::string name_;
  std::vector<Group> groups_;  // v2: one; v1: one a hierarchy
  sys::Cgroup own_leaf_;       // split: where this process is meanwhile
  sys::Cgroup holder_leaf_;    // systemd: keeps the scope alive until its figures are read
  pid_t holder_ = -1;
  UniqueFd memory_event_;
};

}  // namespace ward::confine
