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
#include <optional>
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

// The texts of init's id maps, made before there is an init.
struct IdMaps {
  std::string uids, gids;
  bool deny_setgroups = false;
};

Result<IdMaps> make_id_maps() {
  IdMaps maps;
  if (::geteuid() == 0) {
    WARD_ASSIGN(maps.uids, identity_map("/proc/self/uid_map"));
    WARD_ASSIGN(maps.gids, identity_map("/proc/self/gid_map"));
    return maps;
  }
  std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  maps.uids = uid + " " + uid + " 1";
  maps.gids = gid + " " + gid + " 1";
  maps.deny_setgroups = true;
  return maps;
}

bool write_map(SetupStart& start, const char* file, const char* text, std::size_t size) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/%s", start.init, file);
  long fd = sys::raw::openat(AT_FDCWD, path, O_WRONLY);
  long status = fd < 0 ? fd : sys::raw::value_or_errno(::write(static_cast<int>(fd), text, size));
  if (fd >= 0) sys::raw::close(static_cast<int>(fd));
  if (status >= 0) return true;
  start.map_step = file;
  start.map_error = static_cast<int>(-status);
  return false;
}

// The cloner: makes init a child of the supervisor, in new namespaces, and writes its id maps.
// Post-fork code. The kernel needs about a millisecond for the namespaces, in which the supervisor
// plans.
[[noreturn]] void run_cloner(SetupStart& start, const IdMaps& maps, const SetupChannels& channels) {
  struct clone_args arguments = {};
  arguments.flags = kNamespaces | CLONE_PARENT;
  long pid = sys::raw::value_or_errno(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (pid == 0) run_init(start, channels);
  if (pid < 0) {
    start.clone_error = static_cast<int>(-pid);
    ::_exit(1);
  }
  start.init = static_cast<pid_t>(pid);
  bool written = write_map(start, "uid_map", maps.uids.data(), maps.uids.size()) &&
                 (!maps.deny_setgroups || write_map(start, "setgroups", "deny", 4)) &&
                 write_map(start, "gid_map", maps.gids.data(), maps.gids.size());
  if (!written) ::_exit(1);
  sys::raw::futex_set(start.mapped, 1);
  ::_exit(0);
}

Result<UniqueFd> open_namespace(pid_t init, const char* name) {
  return sys::open_path("/proc/" + std::to_string(init) + "/ns/" + name, O_RDONLY);
}

sys::Feature feature_of(Step step) {
  switch (step) {
    case Step::landlock: return sys::Feature::landlock;
    case Step::seccomp: return sys::Feature::seccomp_notify;
    case Step::make_proc:
    case Step::proc: return sys::Feature::proc_mount;
    case Step::make_scratch:
    case Step::scratch: return sys::Feature::tmpfs_mount;
    case Step::make_terminals:
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
  if (step == Step::network) return Error::from_errno(report.value, op);
  sys::Feature feature = feature_of(step);
  if (report.detail >= 0 && static_cast<std::size_t>(report.detail) < plan.rows.size()) {
    const SetupRow& row = plan.rows[static_cast<std::size_t>(report.detail)];
    op += std::string(" ") + row.path;
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

void kill_and_reap(int pidfd) {
  ::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
  siginfo_t info = {};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED) != 0 && errno == EINTR) {
  }
}

Status take_listeners(const Report& report, std::vector<UniqueFd>& fds,
                      std::vector<UniqueFd>& listeners) {
  auto next = fds.begin();
  for (std::size_t bit = 0; bit < kMaxReportFds; ++bit) {
    if ((report.value & (1 << bit)) == 0) continue;
    const std::size_t index = static_cast<std::size_t>(report.detail) + bit;
    if (next == fds.end() || index >= listeners.size())
      return fail(ErrorKind::bug, "descriptors are missing");
    listeners[index] = std::move(*next++);
  }
  return {};
}

// A report that has been sent already.
std::optional<Report> report_there(int launch) {
  Report report;
  const ssize_t size = ::recv(launch, &report, sizeof report, MSG_DONTWAIT);
  if (size != static_cast<ssize_t>(sizeof report)) return std::nullopt;
  return report;
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
    if (report.kind == Report::Kind::listeners) {
      WARD_TRY(take_listeners(report, message.fds, handles.listeners));
      continue;
    }
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

Result<Launch> Launch::begin(std::uint32_t fail_step) {
  WARD_ASSIGN(SetupArena arena, SetupArena::create());
  WARD_ASSIGN(IdMaps maps, make_id_maps());
  WARD_ASSIGN(auto control, sys::socket_pair());
  WARD_ASSIGN(auto launch, sys::socket_pair());
  Launch begun(std::move(arena));
  begun.start_ = begun.arena_.object(SetupStart{});
  begun.start_->fail_step = fail_step;
  begun.handles_.control = std::move(control.first);
  begun.launch_ = std::move(launch.first);
  // Init takes this over. Until take_init() has used them, its files of /proc must be ours.
  sys::raw::prctl(PR_SET_DUMPABLE, 1);
  begun.cloner_ = ::fork();
  if (begun.cloner_ == 0)
    run_cloner(*begun.start_, maps, {control.second.get(), launch.second.get()});
  if (begun.cloner_ < 0) return fail_errno(errno, "fork");
  return begun;
}

Launch::Launch(Launch&& other) noexcept
    : arena_(std::move(other.arena_)),
      start_(std::exchange(other.start_, nullptr)),
      cloner_(std::exchange(other.cloner_, -1)),
      launch_(std::move(other.launch_)),
      handles_(std::move(other.handles_)) {}

Launch::~Launch() {
  if (start_ == nullptr) return;
  static_cast<void>(take_init().has_value());
  if (handles_.pidfd.valid()) kill_and_reap(handles_.pidfd.get());
}

// Waits for the cloner, and takes hold of init, whose parent this process is.
Status Launch::take_init() {
  if (cloner_ < 0) return {};
  while (::waitpid(cloner_, nullptr, 0) < 0 && errno == EINTR) {
  }
  cloner_ = -1;
  if (start_->clone_error != 0)
    return fail(sys::explain_failure(sys::Feature::user_namespace, start_->clone_error,
                                     "make the namespaces of the sandbox"));
  if (start_->init <= 0) return fail(ErrorKind::io, "the sandbox's namespaces were not made");
  handles_.init = start_->init;
  // Not reaped yet, so the number is still its own.
  long pidfd = sys::raw::value_or_errno(::syscall(SYS_pidfd_open, handles_.init, 0));
  if (pidfd < 0) return fail_errno(static_cast<int>(-pidfd), "open the sandbox's init");
  handles_.pidfd = UniqueFd(static_cast<int>(pidfd));
  if (start_->map_step != nullptr)
    return fail(sys::explain_failure(sys::Feature::user_namespace, start_->map_error,
                                     std::string("write ") + start_->map_step + " of the sandbox"));
  WARD_ASSIGN(handles_.user_namespace, open_namespace(handles_.init, "user"));
  WARD_ASSIGN(handles_.mount_namespace, open_namespace(handles_.init, "mnt"));
  // Nobody may look into the supervisor.
  sys::raw::prctl(PR_SET_DUMPABLE, 0);
  return {};
}

Result<Report> Launch::set_up(const Confinement& confinement, const Job& job,
                              const LaunchHooks& hooks) {
  WARD_ASSIGN(start_->plan, make_setup_plan(confinement, job, arena_));
  if (Status taken = take_init(); !taken) {
    // The cause, where init has failed by itself and is gone.
    if (std::optional<Report> early = report_there(launch_.get())) return *early;
    return fail(std::move(taken).error());
  }
  if (hooks.attach) WARD_TRY(hooks.attach(handles_.init));
  handles_.listeners.resize(confinement.network.listeners.size());
  // An init that failed before has reported it.
  static_cast<void>(sys::send_message(handles_.control.get(), "1").has_value());
  if (hooks.meanwhile) WARD_TRY(hooks.meanwhile(handles_));
  return await_report(launch_.get(), handles_, hooks);
}

Result<SandboxHandles> Launch::prepare(const Confinement& confinement, const Job& job,
                                       const LaunchHooks& hooks) && {
  WARD_ASSIGN(Report report, set_up(confinement, job, hooks));
  if (report.kind != Report::Kind::ready) return fail(failure_of(report, *start_->plan, job));
  start_ = nullptr;
  return std::move(handles_);
}

Result<SandboxHandles> prepare(const Confinement& confinement, const Job& job,
                               const LaunchHooks& hooks, std::uint32_t fail_step) {
  WARD_ASSIGN(Launch launch, Launch::begin(fail_step));
  return std::move(launch).prepare(confinement, job, hooks);
}

}  // namespace ward::confine
