// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/cgroup_place.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sys/file.h"

namespace ward::confine {
namespace {

struct ControllerRow {
  Controller controller;
  std::string_view v2, v1, key;
};
constexpr std::array<ControllerRow, 4> kControllers = {{
    {Controller::memory, "memory", "memory", "limits.memory"},
    {Controller::cpu, "cpu", "cpu", "limits.cpus"},
    {Controller::pids, "pids", "pids", "limits.pids"},
    {Controller::io, "io", "blkio", "limits.diskBandwidth or limits.diskOps"},
}};
const ControllerRow& row_of(Controller controller) {
  return kControllers[static_cast<std::size_t>(controller)];
}

// Why a way is not open, and what would open it.
struct Closed {
  std::string reason;
  std::string remedy;
};

std::string who(uid_t uid) { return uid == 0 ? "root" : "user " + std::to_string(uid); }

bool may_write(const std::string& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

// A group that this process may make children of, enable controllers in and move processes through.
bool may_manage(const std::string& dir) {
  return may_write(dir) && may_write(dir + "/cgroup.procs") &&
         may_write(dir + "/cgroup.subtree_control");
}

std::vector<std::string> words_in(const std::string& path) {
  const Result<std::string> text = sys::read_file(path);
  return text ? sys::words_of(*text) : std::vector<std::string>{};
}

std::vector<std::string> missing_from(const std::vector<Controller>& needed,
                                      const std::vector<std::string>& present) {
  std::vector<std::string> missing;
  for (const Controller controller : needed)
    if (std::find(present.begin(), present.end(), v2_name(controller)) == present.end())
      missing.emplace_back(v2_name(controller));
  return missing;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// systemd marks what it has handed over; below anything else it is the only writer.
bool is_delegated(const std::string& dir) {
  std::array<char, 8> value;
  for (const char* const name : {"trusted.delegate", "user.delegate"})
    if (::getxattr(dir.c_str(), name, value.data(), value.size()) == 1 && value[0] == '1')
      return true;
  return false;
}

// The root of the hierarchy is the one group without a type; processes may stay in it.
bool is_hierarchy_root(const std::string& dir) {
  return ::access((dir + "/cgroup.type").c_str(), F_OK) != 0;
}

bool holds_only_this_process(const std::string& dir) {
  const std::vector<std::string> pids = words_in(dir + "/cgroup.procs");
  return pids.size() == 1 && pids[0] == std::to_string(::getpid());
}

struct V2Search {
  const std::vector<Controller>& needed;
  const CgroupMachine& machine;
  Closed& closed;

  std::optional<CgroupPlace> in_own(const std::string& own) const;
  std::optional<CgroupPlace> beside(const std::string& own, const std::string& top) const;
};

std::optional<CgroupPlace> V2Search::in_own(const std::string& own) const {
  const std::vector<std::string> lacking =
      missing_from(needed, words_in(own + "/cgroup.controllers"));
  if (!lacking.empty()) {
    closed.reason = own + " has no controller " + joined(lacking);
    return std::nullopt;
  }
  if (!may_manage(own) || (machine.systemd_runs && !is_delegated(own))) {
    closed.reason = own + " is not delegated to " + who(machine.uid);
    return std::nullopt;
  }
  CgroupPlace place;
  place.parent = own;
  place.enable = missing_from(needed, words_in(own + "/cgroup.subtree_control"));
  if (place.enable.empty() || is_hierarchy_root(own)) return place;
  if (holds_only_this_process(own)) {
    place.means = CgroupPlace::Means::split;
    return place;
  }
  closed.reason = own + " holds other processes, so it cannot have groups with limits below it";
  closed.remedy = "start ward alone in its group, or move the others into a group below it";
  return std::nullopt;
}

std::optional<CgroupPlace> V2Search::beside(const std::string& own, const std::string& top) const {
  if (own == top) return std::nullopt;
  const std::string parent = own.substr(0, own.rfind('/'));
  if (!may_manage(parent) || (machine.systemd_runs && !is_delegated(parent))) return std::nullopt;
  if (!missing_from(needed, words_in(parent + "/cgroup.controllers")).empty()) return std::nullopt;
  CgroupPlace place;
  place.parent = parent;
  place.enable = missing_from(needed, words_in(parent + "/cgroup.subtree_control"));
  const bool empty = words_in(parent + "/cgroup.procs").empty();
  if (place.enable.empty() || empty || is_hierarchy_root(parent)) return place;
  return std::nullopt;
}

// What the user's manager was given to hand on; empty where that cannot be seen.
std::vector<std::string> controllers_of_manager(uid_t uid, const std::string& mount_point) {
  const std::string user = std::to_string(uid);
  return words_in(mount_point + "/user.slice/user-" + user + ".slice/user@" + user +
                  ".service/cgroup.controllers");
}

std::optional<CgroupPlace> with_systemd(const std::vector<Controller>& needed,
                                        const CgroupMachine& machine,
                                        const std::string& mount_point, Closed& closed) {
  if (!machine.systemd_runs) return std::nullopt;
  const bool root = machine.uid == 0;
  if (machine.busctl.empty()) {
    closed = {"systemd's manager cannot be asked without busctl", "install the package systemd"};
    return std::nullopt;
  }
  if (machine.bus_socket.empty()) {
    closed.reason = root ? "the system's bus is not running" : "this user has no systemd manager";
    closed.remedy = root ? "install the package dbus"
                         : "log in with a session, or once as root: loginctl enable-linger " +
                               std::to_string(machine.uid) +
                               " (with the packages dbus-user-session and libpam-systemd)";
    return std::nullopt;
  }
  const std::vector<std::string> present = controllers_of_manager(machine.uid, mount_point);
  const std::vector<std::string> lacking = missing_from(needed, present);
  if (!root && !present.empty() && !lacking.empty()) {
    closed = {"systemd's manager of " + who(machine.uid) + " has no controller " + joined(lacking),
              std::string(kDelegateRemedy)};
    return std::nullopt;
  }
  CgroupPlace place;
  place.means = CgroupPlace::Means::systemd;
  place.v2_mount_point = mount_point;
  return place;
}

std::optional<CgroupPlace> in_v2(const std::vector<Controller>& needed,
                                 const CgroupMachine& machine, Closed& closed) {
  const sys::CgroupHierarchy* v2 = machine.state.v2();
  if (v2 == nullptr) {
    closed.reason = "cgroup v2 is not mounted";
    return std::nullopt;
  }
  const std::vector<std::string> lacking =
      missing_from(needed, words_in(v2->mount_point + "/cgroup.controllers"));
  if (!lacking.empty()) {
    closed.reason = "cgroup v2 has no controller " + joined(lacking) + " here";
    return std::nullopt;
  }
  if (v2->own_dir.empty()) {
    closed.reason = "this process's group is not below " + v2->mount_point;
  } else {
    const V2Search search{needed, machine, closed};
    if (std::optional<CgroupPlace> place = search.in_own(v2->own_dir)) return place;
    if (std::optional<CgroupPlace> place = search.beside(v2->own_dir, v2->mount_point))
      return place;
  }
  if (std::optional<CgroupPlace> place = with_systemd(needed, machine, v2->mount_point, closed))
    return place;
  if (closed.remedy.empty()) {
    const std::string group = v2->mount_point + "/ward";
    closed.remedy = "as root, hand over a group: echo '+cpu +memory +pids' > " + v2->mount_point +
                    "/cgroup.subtree_control; mkdir -p " + group + "/shell; chown USER " + group +
                    " " + group + "/cgroup.{procs,subtree_control} " + group +
                    "/shell/cgroup.procs; echo PID_OF_THE_SHELL > " + group + "/shell/cgroup.procs";
  }
  return std::nullopt;
}

std::optional<CgroupPlace> in_v1(const std::vector<Controller>& needed,
                                 const CgroupMachine& machine, Closed& closed) {
  CgroupPlace place;
  place.means = CgroupPlace::Means::v1;
  for (const Controller controller : needed)
    if (machine.state.v1_of(v1_name(controller)) == nullptr) return std::nullopt;
  if (std::find(needed.begin(), needed.end(), Controller::io) != needed.end()) {
    closed = {
        "cgroup v1 does not hold a process to its disk limit when it writes through the page cache",
        "boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)"};
    return std::nullopt;
  }
  for (const Controller controller : needed) {
    const sys::CgroupHierarchy* hierarchy = machine.state.v1_of(v1_name(controller));
    const std::string& dir = hierarchy->own_dir;
    if (dir.empty() || !may_write(dir)) {
      closed = {(dir.empty() ? hierarchy->mount_point : dir) + " (cgroup v1) is not writable for " +
                    who(machine.uid),
                machine.uid == 0
                    ? "mount the hierarchy writable"
                    : "run as root, or have root hand over a group of each v1 hierarchy: mkdir " +
                          hierarchy->mount_point + "/ward; chown -R USER " +
                          hierarchy->mount_point + "/ward; and put the shell into it"};
      return std::nullopt;
    }
    const auto same = std::find_if(place.v1_parents.begin(), place.v1_parents.end(),
                                   [&](const auto& parent) { return parent.dir == dir; });
    if (same != place.v1_parents.end())
      same->controllers.push_back(controller);
    else
      place.v1_parents.push_back({dir, {controller}});
  }
  return place;
}

}  // namespace

std::string_view v2_name(Controller controller) { return row_of(controller).v2; }
std::string_view v1_name(Controller controller) { return row_of(controller).v1; }

Result<CgroupMachine> CgroupMachine::here() {
  CgroupMachine machine;
  WARD_ASSIGN(machine.state, sys::cgroups_of_self());
  machine.uid = ::geteuid();
  machine.systemd_runs = ::access("/run/systemd/system", F_OK) == 0;
  if (!machine.systemd_runs) return machine;
  if (::access("/usr/bin/busctl", X_OK) == 0) machine.busctl = "/usr/bin/busctl";
  const std::string socket = machine.uid == 0 ? "/run/dbus/system_bus_socket"
                                              : "/run/user/" + std::to_string(machine.uid) + "/bus";
  if (::access(socket.c_str(), W_OK) == 0) machine.bus_socket = socket;
  return machine;
}

Result<CgroupPlace> place_cgroup(const std::vector<Controller>& needed,
                                 const CgroupMachine& machine) {
  Closed v2;
  if (std::optional<CgroupPlace> place = in_v2(needed, machine, v2)) return *place;
  Closed v1;
  if (std::optional<CgroupPlace> place = in_v1(needed, machine, v1)) return *place;
  // Where v1 has the controllers, its reason is the one that helps.
  const Closed& closed = v1.reason.empty() ? v2 : v1;
  // A disk limit brings the memory controller along without being asked for a memory limit.
  const bool io = std::find(needed.begin(), needed.end(), Controller::io) != needed.end();
  std::vector<std::string> keys;
  for (const Controller controller : needed)
    if (!io || controller != Controller::memory) keys.emplace_back(row_of(controller).key);
  return fail(
      Error(ErrorKind::unsupported, joined(keys) + (keys.size() > 1 ? " need" : " needs") +
                                        " an own cgroup, and none can be made: " + closed.reason)
          .with_remedy(closed.remedy));
}

}  // namespace ward::confine
