// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Launching: from a Confinement and a command to a confined process that has proved its
// confinement and waits for `go` (control.h) to execute the command. The supervisor's side is
// single-threaded; it owns the sandbox through SandboxHandles, and killing init's pidfd ends it
// all. Linux 5.15: clone3(2), namespaces(7), pidfd_open(2).
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/control.h"
#include "confine/network_inside.h"
#include "confine/path_plan.h"
#include "confine/setup.h"
#include "confine/setup_arena.h"
#include "policy/policy.h"
#include "sys/rlimit.h"

namespace ward::confine {

// What the command may touch, resolved on this machine.
struct Confinement {
  PathPlan paths;
  policy::Process process;
  // Every access to a path is reported and judged, which makes the run slower.
  enum class Trace : std::uint8_t { off, on } trace = Trace::off;
  NetworkInside network;
  std::string host_name = "ward";
  // Where the self-test tries to create a file: a folder that the caller can write and the policy
  // does not let the command write.
  std::string forbidden_write;
  // Where set, no change reaches the host. The n-th writable row, in the order of the rows, is held
  // in `review_folder`/n: a folder is an overlay whose changes go to n/upper (and n/work), a file
  // is its copy n/file. The caller has made them.
  std::string review_folder;
};

inline constexpr int kTerminal = -1;  // a stream: the sandbox's own pseudo-terminal
inline constexpr int kNull = -2;      // a stream: the sandbox's own /dev/null

// The command and how it is connected. The streams (pipes, kTerminal or kNull) and pass_fds are
// borrowed until prepare() returns; the caller has judged them (keeper/stdio.h).
struct Job {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "NAME=value"
  std::string working_directory;
  std::array<int, 3> streams = {kNull, kNull, kNull};
  std::vector<int> pass_fds;
  std::vector<sys::Rlimit> rlimits;
};
// The folders that are private inside. HostContext::private_folders for plan_paths().
const std::vector<std::string>& private_folders();

// What comes out of a sandbox before its command runs.
struct SandboxHandles {
  pid_t init = -1;     // in the supervisor's pid namespace
  UniqueFd pidfd;      // of init: readable when the sandbox is gone
  UniqueFd control;    // to and from init, see control.h
  UniqueFd listener;   // of the system call filter
  UniqueFd diagnosis;  // netlink socket of the sandbox's network namespace
  // Those of NetworkInside::listeners, in their order; invalid where this machine has no IPv6.
  std::vector<UniqueFd> listeners;
  UniqueFd terminal;  // master of the own pty; invalid where no stream asked for it
  UniqueFd user_namespace, mount_namespace;  // for masks that are mounted later
  UniqueFd root;  // O_PATH, the command's "/"; only where changes are held
};

// The calls that the supervisor must make while it waits for the sandbox.
struct LaunchHooks {
  // After the clone, before the sandbox does anything: puts it in its cgroup.
  std::function<Status(pid_t init)> attach;
  // The sandbox is setting itself up: what can be done beside it, is done here. There are its init
  // and its namespaces. May be empty; an error ends the set-up.
  std::function<Status(SandboxHandles&)> meanwhile;
  // All handles are there: takes the listener and the diagnosis, and answers with the descriptor
  // that tells when serve() has work.
  std::function<Result<int>(SandboxHandles&)> connected;
  std::function<Status()> serve;
};

// A sandbox in the making. begin() returns while the kernel makes the namespaces, so that what the
// sandbox may do is planned meanwhile; prepare() gives the plan to its init. Dropping it ends what
// was begun and leaves nothing.
class Launch {
 public:
  // `fail_step` is for tests: the Step that is to fail.
  static Result<Launch> begin(std::uint32_t fail_step = ~0U);
  Launch(Launch&& other) noexcept;
  Launch& operator=(Launch&&) = delete;
  ~Launch();

  // Makes the command's process, confined and self-tested; init waits for `go`. On failure nothing
  // has been run and nothing is left.
  Result<SandboxHandles> prepare(const Confinement& confinement, const Job& job,
                                 const LaunchHooks& hooks) &&;

 private:
  explicit Launch(SetupArena arena) : arena_(std::move(arena)) {}
  Status take_init();
  Result<Report> set_up(const Confinement& confinement, const Job& job, const LaunchHooks& hooks);

  SetupArena arena_;
  SetupStart* start_ = nullptr;  // null once the sandbox is somebody else's
  pid_t cloner_ = -1;  // the process that clones init and writes its id maps; gone once reaped
  UniqueFd launch_;    // reports of the set-up
  SandboxHandles handles_;
};

// begin() and prepare() in one.
Result<SandboxHandles> prepare(const Confinement& confinement, const Job& job,
                               const LaunchHooks& hooks, std::uint32_t fail_step = ~0U);

// The outcome of a report of kind `failed` that came after `go`: the command could not be executed.
SetupFailed exec_failure(const Report& report, const std::string& command);

}  // namespace ward::confine
