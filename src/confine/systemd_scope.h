// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A transient scope of systemd's manager (the user's, or the system's for root) with Delegate=yes:
// the one way by which an ordinary user of a systemd machine gets a cgroup of its own, since only
// systemd may move a process out of a session. Asked through busctl, systemd's own tool, so that
// the start path carries no D-Bus code. systemd removes the scope when its last process is gone.
// Sources: org.freedesktop.systemd1(5), systemd.scope(5), docs/CGROUP_DELEGATION of systemd.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ward::confine {

struct ScopeRequest {
  std::string name;  // without ".scope"
  std::span<const pid_t> pids;
  uid_t uid = 0;
  std::string busctl;
};

// The arguments of busctl for a request.
std::vector<std::string> busctl_arguments(const ScopeRequest& request);

// Starts the scope and returns its cgroup v2 path ("/user.slice/…") once each of `pids` is in it.
Result<std::string> start_scope(const ScopeRequest& request);

}  // namespace ward::confine
