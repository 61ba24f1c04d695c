// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Control groups as the kernel shows them: which hierarchies are mounted, which group this process
// is in, and the few file operations on a group's directory. No choice of where a run goes (that is
// confine/cgroup_place.h). Any thread. Sources: cgroups(7), Documentation/admin-guide/cgroup-v2.rst
// and cgroup-v1/ (cgroup.kill: Linux 5.14).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

enum class CgroupVersion : unsigned char { v1, v2 };

// One mounted hierarchy and this process's place in it.
struct CgroupHierarchy {
  CgroupVersion version = CgroupVersion::v2;
  std::vector<std::string> controllers;  // v1 only; a v2 group names its own in cgroup.controllers
  std::string mount_point;
  std::string own_dir;  // the directory of this process's own group; "" where it is not visible
};

struct CgroupState {
  std::vector<CgroupHierarchy> hierarchies;
  const CgroupHierarchy* v2() const;
  const CgroupHierarchy* v1_of(std::string_view controller) const;
};

// From the text of /proc/PID/mountinfo and /proc/PID/cgroup.
CgroupState parse_cgroups(std::string_view mountinfo, std::string_view membership);
Result<CgroupState> cgroups_of_self();
// The v2 path of a process as /proc/PID/cgroup tells it: "/user.slice/…".
Result<std::string> cgroup_v2_path_of(pid_t pid);

// One word after the other, as in cgroup.controllers.
std::vector<std::string> words_of(std::string_view text);
// The number after `key` in a file of "key value" lines, as memory.events; 0 where it is missing.
std::uint64_t keyed_value(std::string_view text, std::string_view key);

// A group's directory that this process made, held open.
class Cgroup {
 public:
  Cgroup() = default;
  // mkdir(2) of `parent`/`name`.
  static Result<Cgroup> make(const std::string& parent, const std::string& name);
  // One that exists already.
  static Result<Cgroup> open(std::string dir);

  bool valid() const { return fd_.valid(); }
  const std::string& dir() const { return dir_; }
  int fd() const { return fd_.get(); }

  bool has(const std::string& file) const;
  Result<std::string> read(const std::string& file) const;
  Status write(const std::string& file, std::string_view text) const;
  // Moves a process with all its threads into the group and reads back that it is there.
  Status attach(pid_t pid) const;
  Result<std::vector<pid_t>> processes() const;

  // SIGKILL to every process of the group until there is none. With `cgroup.kill` at once;
  // otherwise (v1, and Linux before 5.14) one by one, repeated as long as new ones appear.
  Status kill_all(std::chrono::milliseconds patience = std::chrono::seconds(5)) const;
  // rmdir(2). A group that is gone is fine.
  Status remove();

 private:
  std::string dir_;
  UniqueFd fd_;
};

}  // namespace ward::sys
