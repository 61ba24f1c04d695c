// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/launch.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "confine/setup_plan.h"
#include "sys/features.h"
#include "sys/file.h"
#include "sys/raw.h"
#include "sys/socket.h"

namespace ward::confine {

namespace {

constexpr std::uint64_t kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

// "0 0 4294967295": every id that this process itself has, on itself.
Result<std::string> identity_map(const char* own_map) {
  WARD_ASSIGN(std::string text, sys::read_file(own_map));
  std::string map;
  unsigned long inside = 0, outside = 0, count = 0;
  const char* at = text.c_str();
  for (int used = 0; std::sscanf(at, "%lu %lu %lu%n", &inside, &outside, &count, &used) == 3;
       at += used)
    map +=
        std::to_string(inside) + " " + std::to_string(inside) + " " + std::to_string(count) + "\n";
  return map;
}

Status write_id_maps(pid_t init) {
  std::string proc = "/proc/" + std::to_string(init);
  if (::geteuid() == 0) {
    WARD_ASSIGN(std::string uids, identity_map("/proc/self/uid_map"));
    WARD_ASSIGN(std::string gids, identity_map("/proc/self/gid_map"));
    WARD_TRY(sys::write_kernel_file(proc + "/uid_map", uids));
    return sys::write_kernel_file(proc + "/gid_map", gids);
  }
  std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  WARD_TRY(sys::write_kernel_file(proc + "/uid_map", uid + " " + uid + " 1"));
  WARD_TRY(sys::write_kernel_file(proc + "/setgroups", "deny"));
  return sys::write_kernel_file(proc + "/gid_map", gid + " " + gid + " 1");
}

Result<UniqueFd> open_namespace(pid_t init, const char* name) {
  return sys::open_path("/proc/" + std::to_string(init) + "/ns/" + name, O_RDONLY);
}

// What init waits for before its first step.
Status release_init(SandboxHandles& handles, const LaunchHooks& hooks) {
  if (hooks.attach) WARD_TRY(hooks.attach(handles.init));
  WARD_ASSIGN(handles.user_namespace, open_namespace(handles.init, "user"));
  WARD_ASSIGN(handles.mount_namespace, open_namespace(handles.init, "mnt"));
  WARD_TRY(in_context(write_id_maps(handles.init), "map the ids of the sandbox"));
  // Nobody may look into the supervisor.
  sys::raw::prctl(PR_SET_DUMPABLE, 0);
  return sys::send_message(handles.control.get(), "1");
}

sys::Feature feature_of(Step step) {
  switch (step) {
    case Step::landlock: return sys::Feature::landlock;
    case Step::seccomp: return sys::Feature::seccomp_notify;
    case Step::proc: return sys::Feature::proc_mount;
    case Step::scratch: return sys::Feature::tmpfs_mount;
    case Step::terminal: return sys::Feature::devpts_mount;
    case Step::read_only: return sys::Feature::mount_setattr;
    case Step::detach_trees:
    case Step::rows: return sys::Feature::open_tree;
    case Step::cgroup_namespace: return sys::Feature::cgroup_namespace;
    default: return sys::Feature::mount_namespace;
  }
}

Error self_test_error(Step step) {
  std::string what = step == Step::self_test_write  ? "a forbidden write succeeded"
                     : step == Step::self_test_read ? "a forbidden read succeeded"
                                                    : "a forbidden connection succeeded";
  return Error(ErrorKind::bug, "the confinement does not hold: " + what + "; nothing was run")
      .with_remedy("run `ward doctor` and report what it prints");
}

Error failure_of(const Report& report, const SetupPlan& plan, const Job& job) {
  auto step = static_cast<Step>(report.step);
  if (report.value == EPROTO) return self_test_error(step);
  if (step == Step::working_directory)
    return Error::from_errno(report.value, "enter " + job.working_directory)
        .with_remedy("the policy must let the command read its working directory");
  std::string op(to_string(step));
  sys::Feature feature = feature_of(step);
  if (report.detail >= 0 && static_cast<std::size_t>(report.detail) < plan.rows.size()) {
    const SetupRow& row = plan.rows[static_cast<std::size_t>(report.detail)];
    op += " " + row.path;
    if (row.kind == SetupRow::Kind::overlay) {
      op += " to hold its changes";
      if (step == Step::detach_trees) feature = sys::Feature::overlay;
    }
  }
  if (report.value == ESTALE)
    return Error(ErrorKind::busy, op + ": it was replaced while the sandbox was being made")
        .with_remedy("run the command again");
  return sys::explain_failure(feature, report.value, op);
}

Result<pid_t> clone_init(SetupPlan& plan, UniqueFd& pidfd, const SetupChannels& channels) {
  int raw_pidfd = -1;
  struct clone_args arguments = {};
  arguments.flags = kNamespaces | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&raw_pidfd);
  arguments.exit_signal = SIGCHLD;
  // Init takes this over. Until release_init() has used them, its files of /proc must be ours.
  sys::raw::prctl(PR_SET_DUMPABLE, 1);
  long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) run_init(plan, channels);
  if (pid < 0)
    return fail(sys::explain_failure(sys::Feature::user_namespace, errno,
                                     "make the namespaces of the sandbox"));
  pidfd = UniqueFd(raw_pidfd);
  return static_cast<pid_t>(pid);
}

void kill_and_reap(int pidfd) {
  ::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
  siginfo_t info = {};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED) != 0 && errno == EINTR) {
  }
}

// Reads reports until the set-up is over, one way or the other, and serves the listener meanwhile:
// the self-test makes calls that only the supervisor can answer.
Result<Report> await_report(int launch, SandboxHandles& handles, const LaunchHooks& hooks) {
  int served = -1;
  for (;;) {
    struct pollfd fds[2] = {{launch, POLLIN, 0}, {served, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return fail_errno(errno, "wait for the sandbox");
    }
    if ((fds[1].revents & POLLIN) != 0) WARD_TRY(hooks.serve());
    if (fds[0].revents == 0) continue;
    WARD_ASSIGN(sys::Message message, sys::receive_message(launch, sizeof(Report)));
    Report report;
    if (message.bytes.size() != sizeof report)
      return fail(ErrorKind::io, "the sandbox ended while it was being set up");
    std::memcpy(&report, message.bytes.data(), sizeof report);
    if (report.kind != Report::Kind::descriptors) return report;
    const bool terminal = (report.value & kWithTerminal) != 0;
    const bool root = (report.value & kWithRoot) != 0;
    if (message.fds.size() != 2U + (terminal ? 1U : 0U) + (root ? 1U : 0U))
      return fail(ErrorKind::bug, "descriptors are missing");
    handles.listener = std::move(message.fds[0]);
    handles.diagnosis = std::move(message.fds[1]);
    if (terminal) handles.terminal = std::move(message.fds[2]);
    if (root) handles.root = std::move(message.fds.back());
    WARD_ASSIGN(served, hooks.connected(handles));
  }
}

}  // namespace

SetupFailed exec_failure(const Report& report, const std::string& command) {
  SetupFailed failure{Error::from_errno(report.value, "execute " + command),
                      SetupFailed::Reason::not_executable};
  if (report.value == ENOENT || report.value == ENOTDIR)
    failure.reason = SetupFailed::Reason::not_found;
  return failure;
}

Result<SandboxHandles> prepare(const Confinement& confinement, const Job& job,
                               const LaunchHooks& hooks, std::uint32_t fail_step) {
  WARD_ASSIGN(SetupPlan plan, make_setup_plan(confinement, job));
  plan.fail_step = fail_step;
  WARD_ASSIGN(auto control, sys::socket_pair());
  WARD_ASSIGN(auto launch, sys::socket_pair());

  SandboxHandles handles;
  WARD_ASSIGN(handles.init,
              clone_init(plan, handles.pidfd, {control.second.get(), launch.second.get()}));
  handles.control = std::move(control.first);
  control.second.reset();
  launch.second.reset();
  Status released = release_init(handles, hooks);
  if (released && hooks.meanwhile) released = hooks.meanwhile();
  Result<Report> report = released ? await_report(launch.first.get(), handles, hooks)
                                   : fail(std::move(released).error());
  if (report && report->kind == Report::Kind::ready) return handles;
  kill_and_reap(handles.pidfd.get());
  if (!report) return fail(std::move(report).error());
  return fail(failure_of(*report, plan, job));
}

}  // namespace ward::confine
