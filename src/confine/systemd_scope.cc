// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/systemd_scope.h"

#include <ctime>

#include "sys/cgroup.h"
#include "sys/program.h"

namespace ward::confine {
namespace {

constexpr int kJobPatienceMs = 10000;

void sleep_a_millisecond() {
  const timespec pause = {0, 1000000};
  ::nanosleep(&pause, nullptr);
}

// busctl returns when the job is queued. Membership changes without an event that a process without
// a bus connection could wait for, so it is asked each millisecond.
Result<std::string> wait_until_inside(pid_t pid, const std::string& scope) {
  for (int waited = 0; waited < kJobPatienceMs; ++waited) {
    WARD_ASSIGN(std::string path, sys::cgroup_v2_path_of(pid));
    if (path.ends_with("/" + scope)) return path;
    sleep_a_millisecond();
  }
  return fail(
      Error(ErrorKind::io, "systemd did not put process " + std::to_string(pid) + " into " + scope)
          .with_remedy("look for " + scope + " in the journal of the manager: journalctl"));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::vector<std::string> busctl_arguments(const ScopeRequest& request) {
  std::vector<std::string> words = {request.busctl,
                                    request.uid == 0 ? "--system" : "--user",
                                    "--quiet",
                                    "--timeout=10",
                                    "call",
                                    "org.freedesktop.systemd1",
                                    "/org/freedesktop/systemd1",
                                    "org.freedesktop.systemd1.Manager",
                                    "StartTransientUnit",
                                    "ssa(sv)a(sa(sv))",
                                    request.name + ".scope",
                                    "fail",
                                    "4"};
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add({"Description", "s", "A command confined by ward"});
  add({"Delegate", "b", "true"});
  add({"CollectMode", "s", "inactive-or-failed"});
  add({"PIDs", "au"});
  words.push_back(std::to_string(request.pids.size()));
  for (const pid_t pid : request.pids) words.push_back(std::to_string(pid));
  words.emplace_back("0");  // no auxiliary units
  return words;
}

Result<std::string> start_scope(const ScopeRequest& request) {
  const std::vector<std::string> argv = busctl_arguments(request);
  std::vector<std::string> env = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  if (request.uid != 0) env.push_back("XDG_RUNTIME_DIR=/run/user/" + std::to_string(request.uid));
  WARD_ASSIGN(const sys::ProgramEnd end, sys::run_program({.argv = argv, .env = env}));
  if (end.exit_status != 0)
    return fail(
        Error(ErrorKind::unsupported, "systemd did not start a scope: " + first_line(end.output))
            .with_remedy(request.uid == 0 ? "see journalctl -u init.scope"
                                          : "see journalctl --user"));
  std::string path;
  for (const pid_t pid : request.pids) {
    WARD_ASSIGN(path, wait_until_inside(pid, request.name + ".scope"));
  }
  return path;
}

}  // namespace ward::confine
