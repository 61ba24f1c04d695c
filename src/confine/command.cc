// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The command's process between fork and exec: it gives everything up, proves that it did, and
// waits for the supervisor's word.
#include <linux/landlock.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "confine/control.h"
#include "confine/setup.h"
#include "sys/raw.h"
#include "sys/seccomp_notify.h"
#include "sys/uapi.h"

namespace ward::confine {

namespace raw = sys::raw;

namespace {

struct CommandState {
  const InitState& init;
  const SetupPlan& plan;
};

// A process group of its own; on a terminal, the one in the foreground.
long start_group(CommandState& state) {
  if (::setpgid(0, 0) != 0) return -errno;
  if (state.plan.use_terminal) {
    // SIGTTOU would stop a background group that does this; all signals but SIGCHLD are open here.
    ::signal(SIGTTOU, SIG_IGN);
    if (::tcsetpgrp(state.init.slave, ::getpgrp()) != 0) return -errno;
    ::signal(SIGTTOU, SIG_DFL);
  }
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  return raw::value_or_errno(::sigprocmask(SIG_SETMASK, &none, nullptr));
}

int stream_source(const CommandState& state, int stream) {
  if (stream >= 0) return stream;
  if (stream == -1) return state.init.slave;
  return static_cast<int>(raw::openat(AT_FDCWD, "/dev/null", O_RDWR));
}

// Moves the streams out of the way first: one of them may have the number of another's place.
long set_streams(CommandState& state) {
  int sources[3];
  for (std::size_t i = 0; i < 3; ++i) {
    sources[i] = ::fcntl(stream_source(state, state.plan.streams[i]), F_DUPFD_CLOEXEC, 3);
    if (sources[i] < 0) return -errno;
  }
  for (int i = 0; i < 3; ++i)
    if (::dup2(sources[i], i) < 0) return -errno;
  // Everything else is closed at exec, what was inherited without that flag included.
  if (long status = raw::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); status < 0) return status;
  for (int fd : state.plan.pass_fds)
    if (::fcntl(fd, F_SETFD, 0) != 0) return -errno;
  return 0;
}

long enter_working_directory(CommandState& state) {
  return raw::value_or_errno(::chdir(state.plan.working_directory));
}

long set_limits(CommandState& state) {
  for (const sys::Rlimit& limit : state.plan.limits)
    if (int error = sys::set_rlimit(limit); error != 0) return -error;
  return 0;
}

long set_no_new_privileges(CommandState& /*state*/) { return raw::prctl(PR_SET_NO_NEW_PRIVS, 1); }

long apply_landlock(CommandState& state) {
  const SetupPlan& plan = state.plan;
  if (plan.landlock_abi == 0) return 0;
  sys::uapi::landlock_ruleset_attr attributes = {};
  attributes.handled_access_fs = plan.landlock_handled;
  attributes.scoped = plan.landlock_scoped;
  std::size_t size = plan.landlock_abi >= 6   ? sizeof attributes
                     : plan.landlock_abi >= 4 ? offsetof(decltype(attributes), scoped)
                                              : sizeof(std::uint64_t);
  long ruleset = raw::value_or_errno(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (ruleset < 0) return ruleset;
  for (const SetupGrant& grant : plan.grants) {
    long fd = raw::openat(AT_FDCWD, grant.path, O_PATH);
    if (fd == -ENOENT) continue;
    if (fd < 0) return fd;
    struct landlock_path_beneath_attr rule = {};
    rule.allowed_access = grant.access;
    rule.parent_fd = static_cast<int>(fd);
    long status = raw::value_or_errno(
        ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0));
    raw::close(static_cast<int>(fd));
    if (status < 0) return status;
  }
  long status = raw::value_or_errno(::syscall(SYS_landlock_restrict_self, ruleset, 0));
  raw::close(static_cast<int>(ruleset));
  return status;
}

long give_capabilities_up(CommandState& /*state*/) { return raw::drop_capabilities(); }

long send_descriptors(const CommandState& state, int listener, int root) {
  int fds[4] = {listener, state.init.diagnosis};
  std::size_t count = 2;
  Report report;
  report.kind = Report::Kind::descriptors;
  if (state.init.terminal >= 0) {
    fds[count++] = state.init.terminal;
    report.value |= kWithTerminal;
  }
  if (root >= 0) {
    fds[count++] = root;
    report.value |= kWithRoot;
  }
  return send_with_descriptors(state.init.channels.launch, report, {fds, count});
}

long apply_filter(CommandState& state) {
  // Before the filter, whose trace would ask a supervisor that does not listen yet.
  long root = state.plan.hand_out_root ? raw::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY) : -1;
  if (state.plan.hand_out_root && root < 0) return root;
  int listener = sys::install_filter(state.plan.filter);
  if (listener < 0) return listener;
  long status = send_descriptors(state, listener, static_cast<int>(root));
  raw::close(listener);
  if (root >= 0) raw::close(static_cast<int>(root));
  return status;
}

// The three self-tests. Each answers -EPROTO where the forbidden act succeeded.

long test_write(CommandState& state) {
  long fd = raw::openat(AT_FDCWD, state.plan.forbidden_write, O_TMPFILE | O_WRONLY, 0600);
  if (fd < 0) return fd == -EMFILE || fd == -ENOMEM ? fd : 0;
  raw::close(static_cast<int>(fd));
  return -EPROTO;
}

long test_read(CommandState& state) {
  if (state.plan.forbidden_read[0] == '\0') return 0;
  long fd = raw::openat(AT_FDCWD, state.plan.forbidden_read, O_RDONLY | O_NONBLOCK);
  if (fd < 0) return fd == -EMFILE || fd == -ENOMEM ? fd : 0;
  raw::close(static_cast<int>(fd));
  return -EPROTO;
}

// A datagram socket sends nothing when it is connected, so the test is silent even where it fails.
long test_connect(CommandState& state) {
  int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  struct sockaddr_in outside = {};
  outside.sin_family = AF_INET;
  outside.sin_port = htons(9);
  outside.sin_addr = state.plan.forbidden_address;
  long status = raw::value_or_errno(
      ::connect(fd, reinterpret_cast<struct sockaddr*>(&outside), sizeof outside));
  ::close(fd);
  return status < 0 ? 0 : -EPROTO;
}

struct StepRow {
  Step step;
  long (*run)(CommandState&);
};

// The terminal is asked for before the descriptors go; Landlock after the working directory, since
// it needs paths; capabilities after everything that needs one; the filter last.
constexpr StepRow kCommandSteps[] = {
    {Step::session, start_group},
    {Step::streams, set_streams},
    {Step::working_directory, enter_working_directory},
    {Step::limits, set_limits},
    {Step::no_new_privileges, set_no_new_privileges},
    {Step::landlock, apply_landlock},
    {Step::capabilities, give_capabilities_up},
    {Step::seccomp, apply_filter},
    {Step::self_test_write, test_write},
    {Step::self_test_read, test_read},
    {Step::self_test_connect, test_connect},
};

}  // namespace

void run_command(const InitState& init) {
  CommandState state{init, *init.plan};
  int launch = init.channels.launch;
  for (const StepRow& row : kCommandSteps) {
    long status =
        init.start.fail_step == static_cast<std::uint32_t>(row.step) ? -EIO : row.run(state);
    if (status < 0) report_failure(launch, row.step, status, -1);
  }
  Report ready;
  ready.kind = Report::Kind::ready;
  Command go;
  if (::send(launch, &ready, sizeof ready, MSG_NOSIGNAL) < 0 ||
      ::recv(init.channels.control, &go, sizeof go, 0) != static_cast<ssize_t>(sizeof go))
    ::_exit(125);
  ::environ = const_cast<char**>(init.plan->environment.data());
  ::execvp(init.plan->argv[0], init.plan->argv.data());
  report_failure(init.channels.control, Step::exec, -errno, -1);
}

}  // namespace ward::confine
