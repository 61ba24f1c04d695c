// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Init: pid 1 of a sandbox. It sets the namespaces up, starts the command's process, passes signals
// on, reports stops and the end, and reaps what is orphaned. It holds nothing a sandboxed program
// could want, is not dumpable, and dies with the supervisor.
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "confine/control.h"
#include "confine/setup.h"
#include "sys/raw.h"
#include "sys/raw_arguments.h"
#include "sys/unix_diag.h"

namespace ward::confine {

namespace raw = sys::raw;

namespace {

// The supervisor has written the id maps, put this process in its cgroup, and planned.
long await_plan(InitState& state) {
  char byte = 0;
  ssize_t size = ::recv(state.channels.control, &byte, 1, 0);
  if (size < 0) return -errno;
  state.plan = state.start.plan;
  return size == 1 && state.plan != nullptr ? 0 : -EPIPE;
}

long set_death_signal(InitState& state) {
  long status = raw::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (status < 0) return status;
  // The supervisor may have died before the line above: then its end of the channel is closed.
  struct pollfd peer = {state.channels.control, POLLRDHUP, 0};
  if (::poll(&peer, 1, 0) < 0) return -errno;
  return (peer.revents & (POLLHUP | POLLRDHUP)) != 0 ? -EPIPE : 0;
}

// What Ward was called with (the policy's path, the caller's words) is nobody's business inside,
// and the whole sandbox may read it of its init.
long hide_arguments(InitState& /*state*/) { return raw::replace_own_arguments("ward-init"); }

long own_cgroup_namespace(InitState& /*state*/) { return raw::unshare(CLONE_NEWCGROUP); }

long set_host_name(InitState& state) {
  return raw::value_or_errno(
      ::sethostname(state.plan->host_name, std::strlen(state.plan->host_name)));
}

long bring_loopback_up(InitState& /*state*/) { return raw::loopback_up(); }

long open_socket_diagnosis(InitState& state) {
  state.diagnosis = sys::open_unix_diagnostics();
  return state.diagnosis < 0 ? state.diagnosis : 0;
}

long make_mounts_private(InitState& /*state*/) {
  return raw::value_or_errno(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
}

long empty_bounding_set(InitState& /*state*/) { return raw::drop_bounding_set(); }

// Where they cannot be written, the supervisor ends this process.
long await_id_maps(InitState& state) {
  for (;;) {
    long status = raw::futex_wait(state.start.mapped, 0);
    if (status == -EAGAIN) return 0;  // already written
    if (status < 0 && status != -EINTR) return status;
  }
}

// Init leads the session, the command is a process group of its own in the foreground: a group
// whose parent is in another session is orphaned, and the terminal cannot stop it.
long open_terminal(InitState& state) {
  if (::setsid() < 0) return -errno;
  if (!state.plan->use_terminal) return 0;
  long master = raw::openat(AT_FDCWD, "/dev/pts/ptmx", O_RDWR | O_NOCTTY);
  if (master < 0) return master;
  state.terminal = static_cast<int>(master);
  if (::unlockpt(state.terminal) != 0) return -errno;
  state.slave = ::ioctl(state.terminal, TIOCGPTPEER, O_RDWR | O_CLOEXEC);
  if (state.slave < 0) return -errno;
  return raw::value_or_errno(::ioctl(state.slave, TIOCSCTTY, 0));
}

// Init keeps no end of anybody's pipe: a reader would wait for it for ever.
void close_all_but(std::array<int, 3> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned first = 0;
  for (int fd : kept) {
    auto number = static_cast<unsigned>(fd);
    if (number > first) raw::close_range(first, number - 1, 0);
    first = number + 1;
  }
  raw::close_range(first, ~0U, 0);
}

struct StepRow {
  Step step;
  long (*run)(InitState&);
};

// The first steps run while the supervisor plans.
constexpr StepRow kInitSteps[] = {
    {Step::death_signal, set_death_signal},
    {Step::loopback, bring_loopback_up},
    {Step::socket_diagnosis, open_socket_diagnosis},
    {Step::private_mounts, make_mounts_private},
    {Step::arguments, hide_arguments},
    {Step::bounding_set, empty_bounding_set},
    {Step::id_maps, await_id_maps},
    {Step::make_scratch, make_scratch},
    {Step::make_terminals, make_terminals},
    {Step::make_proc, make_proc},
    {Step::supervisor, await_plan},
    {Step::network, open_network},
    {Step::host_name, set_host_name},
    {Step::cgroup_namespace, own_cgroup_namespace},
    {Step::detach_trees, detach_trees},
    {Step::read_only, make_read_only},
    {Step::scratch, mount_scratch},
    {Step::rows, mount_rows},
    {Step::proc, mount_proc},
    {Step::root, enter_root},
    {Step::terminal, open_terminal},
};

void send_report(int control, const Report& report) {
  // A supervisor that is gone has already sent this process its death signal.
  (void)::send(control, &report, sizeof report, MSG_NOSIGNAL);
}

// Waits for whatever changed; true when the command itself has ended. The stops of a freeze are the
// supervisor's own doing and not reported.
bool reap(int control, pid_t command, bool frozen, Report& end) {
  for (;;) {
    int status = 0;
    pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (pid <= 0) return false;
    if (pid != command) continue;
    if (WIFSTOPPED(status) && !frozen) {
      send_report(control, {Report::Kind::stopped, 0, WSTOPSIG(status), -1, {}});
    } else if (WIFCONTINUED(status) && !frozen) {
      send_report(control, {Report::Kind::continued, 0, 0, -1, {}});
    } else if (WIFEXITED(status) || WIFSIGNALED(status)) {
      end.kind = Report::Kind::ended;
      end.value = status;
      return true;
    }
  }
}

// The end of the command is the end of its sandbox: what it left running is killed and counted.
[[noreturn]] void finish(int control, Report& end) {
  ::kill(-1, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
  ::getrusage(RUSAGE_CHILDREN, &end.usage);
  send_report(control, end);
  // The supervisor lets go of the namespaces, and then of this channel: whoever holds them last
  // takes all the mounts down, and that is this process, beside what the supervisor has to do.
  Command message;
  while (::recv(control, &message, sizeof message, 0) > 0) {
  }
  ::_exit(0);
}

struct Served {
  int control;
  int signals;
  int command_channel;  // -1 once the command was executed
  pid_t command;
  bool frozen = false;
};

void obey(Served& served, const Command& message) {
  switch (message.kind) {
    case Command::Kind::go:
      (void)::send(served.command_channel, &message, sizeof message, MSG_NOSIGNAL);
      return;
    case Command::Kind::signal: ::kill(-served.command, message.value); return;
    case Command::Kind::freeze:
      served.frozen = true;
      ::kill(-1, SIGSTOP);
      send_report(served.control, {Report::Kind::frozen, 0, 0, -1, {}});
      return;
    case Command::Kind::thaw:
      served.frozen = false;
      ::kill(-1, SIGCONT);
      return;
    case Command::Kind::listen:
    case Command::Kind::socket: answer_socket_request(served.control, message); return;
  }
}

// The command's end of its channel closes when it is executed; before that it may carry a failure.
void follow_start(Served& served) {
  Report report;
  ssize_t size = ::recv(served.command_channel, &report, sizeof report, 0);
  if (size == static_cast<ssize_t>(sizeof report)) {
    send_report(served.control, report);
    ::_exit(125);
  }
  served.command_channel = -1;
  send_report(served.control, {Report::Kind::started, 0, 0, -1, {}});
}

[[noreturn]] void serve(Served served) {
  for (;;) {
    struct pollfd fds[3] = {{served.control, POLLIN, 0},
                            {served.signals, POLLIN, 0},
                            {served.command_channel, POLLIN, 0}};
    if (::poll(fds, 3, -1) < 0) continue;
    // In this order: a command that has ended at once was started before.
    if (fds[2].revents != 0) follow_start(served);
    if (fds[1].revents != 0) {
      struct signalfd_siginfo info = {};
      (void)!::read(served.signals, &info, sizeof info);
      Report end;
      if (reap(served.control, served.command, served.frozen, end)) {
        if (served.command_channel >= 0) follow_start(served);
        finish(served.control, end);
      }
    }
    if (fds[0].revents != 0) {
      Command message;
      ssize_t size = ::recv(served.control, &message, sizeof message, 0);
      if (size == 0) ::_exit(0);  // the supervisor is gone
      if (size == static_cast<ssize_t>(sizeof message)) obey(served, message);
    }
  }
}

}  // namespace

void report_failure(int channel, Step step, long status, std::int32_t detail) {
  send_report(channel, {Report::Kind::failed,
                        static_cast<std::uint32_t>(step),
                        static_cast<std::int32_t>(-status),
                        detail,
                        {}});
  ::_exit(125);
}

void run_init(const SetupStart& start, const SetupChannels& channels) {
  InitState state{start, channels};
  for (const StepRow& row : kInitSteps) {
    long status = start.fail_step == static_cast<std::uint32_t>(row.step) ? -EIO : row.run(state);
    if (status < 0) report_failure(channels.launch, row.step, status, state.detail);
  }
  sigset_t chosen;
  ::sigemptyset(&chosen);
  ::sigaddset(&chosen, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &chosen, nullptr);
  int signals = ::signalfd(-1, &chosen, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) report_failure(channels.launch, Step::fork, -errno, -1);
  int channel[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0)
    report_failure(channels.launch, Step::fork, -errno, -1);
  pid_t command = ::fork();
  if (command < 0) report_failure(channels.launch, Step::fork, -errno, -1);
  if (command == 0) {
    raw::close(channel[0]);
    state.channels.control = channel[1];
    run_command(state);
  }
  // From here on nobody inside may look into this process or take it over.
  raw::prctl(PR_SET_DUMPABLE, 0);
  if (state.plan->has_network())
    raw::drop_capabilities_but(CAP_NET_BIND_SERVICE);  // for the gateway's later sockets
  else
    raw::drop_capabilities();
  close_all_but({channels.control, signals, channel[0]});
  serve({channels.control, signals, channel[0], command});
}

}  // namespace ward::confine
