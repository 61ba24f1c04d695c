// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Where a run's cgroup may be made on this machine by this user: a decision from facts (the mounted
// hierarchies, who may write where, whether systemd is there), which changes nothing. The order is
// cgroup v2 below the own group, then a scope of systemd's manager, then v1. What cannot be is an
// error with the way to get it. Pure but for reading; tests give it a tree in a temporary folder.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/cgroup.h"

namespace ward::confine {

enum class Controller : unsigned char { memory, cpu, pids, io };
std::string_view v2_name(Controller controller);
std::string_view v1_name(Controller controller);

struct CgroupMachine {
  sys::CgroupState state;
  uid_t uid = 0;
  bool systemd_runs = false;  // /run/systemd/system is there
  std::string busctl;         // "" where there is none
  std::string bus_socket;     // of the manager: the user's, or the system's for root
  static Result<CgroupMachine> here();
};

struct CgroupPlace {
  enum class Means : unsigned char {
    below,    // a child of `parent`
    split,    // the own group holds this process alone: it moves into a child, the run into another
    systemd,  // a scope with Delegate=yes
    v1,       // a child of each of `v1_parents`
  };
  Means means = Means::below;
  std::string parent;               // below, split
  std::vector<std::string> enable;  // controllers to add to the parent's cgroup.subtree_control
  struct V1Parent {
    std::string dir;
    std::vector<Controller> controllers;
  };
  std::vector<V1Parent> v1_parents;
  std::string v2_mount_point;  // systemd: where the scope will show
};

// How a user's manager gets more controllers.
inline constexpr std::string_view kDelegateRemedy =
    "as root: systemctl edit user@.service, with the lines [Service] and Delegate=cpu io memory "
    "pids, then log in again";

// Preconditions: `needed` is not empty.
Result<CgroupPlace> place_cgroup(const std::vector<Controller>& needed,
                                 const CgroupMachine& machine);

}  // namespace ward::confine
