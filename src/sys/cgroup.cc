// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/cgroup.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <optional>

#include "sys/file.h"

namespace ward::sys {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int value = 0;
      const auto [end, error] = std::from_chars(&text[i + 1], &text[i + 1] + 3, value, 8);
      if (error == std::errc{} && end == &text[i + 1] + 3) {
        plain += static_cast<char>(value);
        i += 3;
        continue;
      }
    }
    plain += text[i];
  }
  return plain;
}

struct CgroupMount {
  CgroupVersion version;
  std::string root;  // the group at the mount point, as seen from this cgroup namespace
  std::string mount_point;
  std::vector<std::string> options;
};

std::optional<CgroupMount> parse_mount(std::string_view line) {
  // 36 35 98:0 ROOT MOUNT_POINT OPTIONS [TAGS...] - TYPE SOURCE SUPER_OPTIONS
  const std::vector<std::string_view> fields = split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
  if (dash[1] != "cgroup" && dash[1] != "cgroup2") return std::nullopt;
  CgroupMount mount{dash[1] == "cgroup2" ? CgroupVersion::v2 : CgroupVersion::v1,
                    unescape(fields[3]),
                    unescape(fields[4]),
                    {}};
  for (const std::string_view option : split(dash[3], ',')) mount.options.emplace_back(option);
  return mount;
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Where group `path` is below a mount that shows group `root`; "" where it is outside of it.
std::string dir_below(const CgroupMount& mount, std::string_view path) {
  if (path.starts_with("/..")) return {};  // above this cgroup namespace's root
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return {};
    path.remove_prefix(mount.root.size());
    if (!path.empty() && path.front() != '/') return {};
  }
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return mount.mount_point + std::string(path);
}

void sleep_a_millisecond() {
  const timespec pause = {0, 1000000};
  ::nanosleep(&pause, nullptr);
}

}  // namespace

const CgroupHierarchy* CgroupState::v2() const {
  for (const CgroupHierarchy& one : hierarchies)
    if (one.version == CgroupVersion::v2) return &one;
  return nullptr;
}

const CgroupHierarchy* CgroupState::v1_of(std::string_view controller) const {
  for (const CgroupHierarchy& one : hierarchies)
    if (one.version == CgroupVersion::v1 && contains(one.controllers, controller)) return &one;
  return nullptr;
}

CgroupState parse_cgroups(std::string_view mountinfo, std::string_view membership) {
  std::vector<CgroupMount> mounts;
  for (const std::string_view line : split(mountinfo, '\n'))
    if (std::optional<CgroupMount> mount = parse_mount(line)) mounts.push_back(std::move(*mount));

  CgroupState state;
  for (const std::string_view line : split(membership, '\n')) {
    // HIERARCHY:CONTROLLERS:PATH, where PATH may hold colons.
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    CgroupHierarchy found;
    found.version = names.empty() ? CgroupVersion::v2 : CgroupVersion::v1;
    for (const std::string_view name : split(names, ',')) found.controllers.emplace_back(name);
    // Of several mounts of one hierarchy, one that shows the own group is of use.
    for (const CgroupMount& mount : mounts) {
      if (mount.version != found.version) continue;
      if (found.version == CgroupVersion::v1 && !contains(mount.options, found.controllers[0]))
        continue;
      const std::string dir = dir_below(mount, path);
      if (found.mount_point.empty() || (found.own_dir.empty() && !dir.empty())) {
        found.mount_point = mount.mount_point;
        found.own_dir = dir;
      }
    }
    if (!found.mount_point.empty()) state.hierarchies.push_back(std::move(found));
  }
  return state;
}

Result<CgroupState> cgroups_of_self() {
  WARD_ASSIGN(const std::string mountinfo, read_file("/proc/self/mountinfo"));
  WARD_ASSIGN(const std::string membership, read_file("/proc/self/cgroup"));
  return parse_cgroups(mountinfo, membership);
}

Result<std::string> cgroup_v2_path_of(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/cgroup";
  WARD_ASSIGN(const std::string text, read_file(path));
  for (const std::string_view line : split(text, '\n'))
    if (line.starts_with("0::")) return std::string(line.substr(3));
  return fail(ErrorKind::not_found, path + ": no cgroup v2 line");
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n\t");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = text.find_first_of(" \n\t", begin);
    words.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end);
  }
}

std::uint64_t keyed_value(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    const std::string_view number = line.substr(key.size() + 1);
    std::uint64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return value;
  }
  return 0;
}

Result<Cgroup> Cgroup::make(const std::string& parent, const std::string& name) {
  const std::string dir = parent + "/" + name;
  if (::mkdir(dir.c_str(), 0755) != 0) return fail_errno(errno, "mkdir " + dir);
  Result<Cgroup> made = open(dir);
  if (!made) ::rmdir(dir.c_str());
  return made;
}

Result<Cgroup> Cgroup::open(std::string dir) {
  Cgroup group;
  WARD_ASSIGN(group.fd_, open_path(dir, O_RDONLY | O_DIRECTORY));
  group.dir_ = std::move(dir);
  return group;
}

bool Cgroup::has(const std::string& file) const {
  return ::faccessat(fd_.get(), file.c_str(), F_OK, 0) == 0;
}

Result<std::string> Cgroup::read(const std::string& file) const {
  WARD_ASSIGN(const UniqueFd fd, open_at(fd_.get(), file, O_RDONLY));
  return in_context(read_fd(fd.get()), "read " + dir_ + "/" + file);
}

Status Cgroup::write(const std::string& file, std::string_view text) const {
  Result<UniqueFd> fd = open_at(fd_.get(), file, O_WRONLY);
  if (!fd) return in_context(Status(fail(std::move(fd).error())), dir_);
  ssize_t size = 0;
  do {
    size = ::write(fd->get(), text.data(), text.size());
  } while (size < 0 && errno == EINTR);
  if (size == static_cast<ssize_t>(text.size())) return {};
  return fail_errno(size < 0 ? errno : EIO,
                    "write \"" + std::string(text) + "\" to " + dir_ + "/" + file);
}

Status Cgroup::attach(pid_t pid) const {
  WARD_TRY(write("cgroup.procs", std::to_string(pid)));
  WARD_ASSIGN(const std::vector<pid_t> inside, processes());
  if (std::find(inside.begin(), inside.end(), pid) != inside.end()) return {};
  return fail(ErrorKind::io, "process " + std::to_string(pid) + " is not in " + dir_);
}

Result<std::vector<pid_t>> Cgroup::processes() const {
  WARD_ASSIGN(const std::string text, read("cgroup.procs"));
  std::vector<pid_t> pids;
  for (const std::string& word : words_of(text)) {
    pid_t pid = 0;  // stays 0 for a process outside this pid namespace
    std::from_chars(word.data(), word.data() + word.size(), pid);
    pids.push_back(pid);
  }
  return pids;
}

Status Cgroup::kill_all(std::chrono::milliseconds patience) const {
  if (has("cgroup.kill")) WARD_TRY(write("cgroup.kill", "1"));
  // The kernel tells of an emptied v2 group by cgroup.events only, of a v1 group by nothing but the
  // list itself; SIGKILL acts within a millisecond or so, so the list is asked each millisecond.
  for (auto waited = std::chrono::milliseconds(0); waited < patience; ++waited) {
    WARD_ASSIGN(const std::vector<pid_t> left, processes());
    if (left.empty()) return {};
    for (const pid_t pid : left)
      if (pid > 0) ::kill(pid, SIGKILL);
    sleep_a_millisecond();
  }
  return fail(ErrorKind::busy, "processes in " + dir_ + " did not end after SIGKILL");
}

Status Cgroup::remove() {
  if (dir_.empty()) return {};
  if (::rmdir(dir_.c_str()) != 0 && errno != ENOENT) return fail_errno(errno, "rmdir " + dir_);
  fd_.reset();
  dir_.clear();
  return {};
}

}  // namespace ward::sys
