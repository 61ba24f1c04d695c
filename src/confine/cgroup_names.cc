// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Whose run a group belongs to, by its name, and the removal of what killed owners left.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <memory>
#include <set>

#include "confine/cgroup.h"
#include "sys/file.h"

namespace ward::confine {
namespace {

constexpr std::string_view kPrefix = "ward-";

// Field 22 of /proc/PID/stat; the name in field 2 may hold anything, so it counts from the last
// ')'.
Result<std::uint64_t> start_time_of(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  WARD_ASSIGN(const std::string text, sys::read_file(path));
  const std::size_t end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return fail(ErrorKind::io, path + " has no name");
  const std::vector<std::string> fields = sys::words_of(text.substr(end_of_name + 1));
  constexpr std::size_t kStartTime = 22 - 3;
  if (fields.size() <= kStartTime) return fail(ErrorKind::io, path + " is too short");
  return std::stoull(fields[kStartTime]);
}

Result<std::uint64_t> own_pid_namespace() {
  WARD_ASSIGN(const struct stat status, sys::stat_at(AT_FDCWD, "/proc/self/ns/pid"));
  return status.st_ino;
}

bool take_number(std::string_view& text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data() + text.size() || *end != '-') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

}  // namespace

Result<std::string> group_name(std::string_view run_id) {
  WARD_ASSIGN(const std::uint64_t start, start_time_of(::getpid()));
  WARD_ASSIGN(const std::uint64_t space, own_pid_namespace());
  return std::string(kPrefix) + std::to_string(space) + "-" + std::to_string(::getpid()) + "-" +
         std::to_string(start) + "-" + std::string(run_id);
}

bool is_stale_group(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  std::uint64_t space = 0;
  std::uint64_t pid = 0;
  std::uint64_t start = 0;
  if (!take_number(name, space) || !take_number(name, pid) || !take_number(name, start))
    return false;
  // An owner in another pid namespace cannot be judged from here.
  const Result<std::uint64_t> own = own_pid_namespace();
  if (!own || *own != space) return false;
  const auto owner = static_cast<pid_t>(pid);
  if (::kill(owner, 0) != 0 && errno == ESRCH) return true;
  const Result<std::uint64_t> started = start_time_of(owner);
  return started && *started != start;
}

std::vector<std::string> sweep_stale_groups(const std::string& parent) {
  std::vector<std::string> removed;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(parent.c_str()), ::closedir);
  if (!folder) return removed;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (!is_stale_group(entry->d_name)) continue;
    Result<sys::Cgroup> group = sys::Cgroup::open(parent + "/" + entry->d_name);
    if (group && group->kill_all() && group->remove()) removed.emplace_back(entry->d_name);
  }
  return removed;
}

std::vector<std::string> group_parents(const CgroupMachine& machine) {
  std::set<std::string> parents;
  for (const sys::CgroupHierarchy& one : machine.state.hierarchies) {
    if (one.own_dir.empty()) continue;
    parents.insert(one.own_dir);
    if (one.version == sys::CgroupVersion::v2 && one.own_dir != one.mount_point)
      parents.insert(one.own_dir.substr(0, one.own_dir.rfind('/')));
  }
  return {parents.begin(), parents.end()};
}

Result<std::string> disk_of(const std::string& path) {
  WARD_ASSIGN(const struct stat status, sys::stat_at(AT_FDCWD, path));
  std::string device =
      std::to_string(major(status.st_dev)) + ":" + std::to_string(minor(status.st_dev));
  const std::string folder = "/sys/dev/block/" + device;
  if (::access(folder.c_str(), F_OK) != 0)
    return fail(Error(ErrorKind::unsupported, path + " is on no single disk of this machine")
                    .with_remedy("diskBandwidth and diskOps need a workspace on a local disk's own "
                                 "file system"));
  if (::access((folder + "/partition").c_str(), F_OK) != 0) return device;
  WARD_ASSIGN(const std::string disk, sys::read_file(folder + "/../dev"));
  return disk.substr(0, disk.find('\n'));
}

}  // namespace ward::confine
