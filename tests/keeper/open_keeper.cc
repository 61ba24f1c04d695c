// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// open_keeper CMD...: Ward's keeper around a command that nothing confines, for tests of the keeper
// alone. Its init is a small one in a pid namespace (and a user namespace, for an ordinary user)
// that speaks confine/control.h as the real one does. Exit status as `ward run`; the environment
// sets limits (KEEPER_WALL_MS, KEEPER_GRACE_MS, KEEPER_OUTPUT) and KEEPER_RESULT, a file that gets
// the outcome's text.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "keeper/supervise.h"
#include "sys/file.h"
#include "sys/socket.h"
#include "sys/tty.h"

namespace {

using namespace ward;
using confine::Command;
using confine::Report;

int control_fd = -1;

void report(Report::Kind kind, int value = 0, int step = 0) {
  Report message = {};
  message.kind = kind;
  message.value = value;
  message.step = static_cast<std::uint32_t>(step);
  static_cast<void>(::send(control_fd, &message, sizeof message, MSG_NOSIGNAL));
}

[[noreturn]] void run_command(const std::array<int, 3>& stdio, int failure_pipe,
                              const sigset_t& mask, char** argv) {
  ::setpgid(0, 0);
  bool terminal = ::isatty(stdio[0]) == 1 || ::isatty(stdio[1]) == 1 || ::isatty(stdio[2]) == 1;
  if (terminal) {
    // From the background of its terminal a process changes the foreground with SIGTTOU blocked.
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTTOU);
    ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
    int tty = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
    ::tcsetpgrp(tty, ::getpid());
  }
  for (int i = 0; i < 3; ++i) ::dup2(stdio[static_cast<std::size_t>(i)], i);
  ::dup3(failure_pipe, 3, O_CLOEXEC);
  ::close_range(4, ~0U, 0);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(argv[0], argv);
  int error = errno;
  ::_exit(::write(3, &error, sizeof error) == sizeof error ? 127 : 93);
}

class Init {
 public:
  Init(const keeper::ChildStdio& stdio, int master) : stdio_(stdio.fds), master_(master) {}

  [[noreturn]] void run(char** argv) {
    if (::getpid() != 1) ::_exit(97);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setsid();
    open_stdio();
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, &mask_);
    children_ = UniqueFd(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    if (await_command().kind != Command::Kind::go) ::_exit(96);
    start(argv);
    for (;;) {
      std::array<struct pollfd, 2> items = {
          {{children_.get(), POLLIN, 0}, {control_fd, POLLIN, 0}}};
      ::poll(items.data(), items.size(), -1);
      if (items[1].revents != 0) obey(await_command());
      struct signalfd_siginfo info;
      while (::read(children_.get(), &info, sizeof info) > 0) {
      }
      reap();
    }
  }

 private:
  void open_stdio() {
    UniqueFd slave;
    if (master_ >= 0) {
      slave = UniqueFd(::ioctl(master_, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
      ::ioctl(slave.get(), TIOCSCTTY, 0);
    }
    for (int& fd : stdio_) {
      if (fd == keeper::kNull) fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      if (fd == keeper::kPty) fd = ::fcntl(slave.get(), F_DUPFD_CLOEXEC, 0);
    }
  }

  Command await_command() {
    Command command = {};
    if (::recv(control_fd, &command, sizeof command, 0) != sizeof command) ::_exit(95);
    return command;
  }

  void start(char** argv) {
    std::array<int, 2> failure = {-1, -1};
    if (::pipe2(failure.data(), O_CLOEXEC) != 0) ::_exit(94);
    command_ = ::fork();
    if (command_ == 0) run_command(stdio_, failure[1], mask_, argv);
    ::setpgid(command_, command_);
    ::close(failure[1]);
    // Every pipe end that init inherited would keep somebody waiting.
    for (int fd = 0; fd < 256; ++fd)
      if (fd != control_fd && fd != children_.get() && fd != failure[0]) ::close(fd);
    int error = 0;
    if (::read(failure[0], &error, sizeof error) == sizeof error)
      report(Report::Kind::failed, error, 1);
    else
      report(Report::Kind::started);
    ::close(failure[0]);
  }

  void obey(const Command& command) {
    switch (command.kind) {
      case Command::Kind::go: break;
      case Command::Kind::signal: ::kill(-command_, command.value); break;
      case Command::Kind::freeze:
        frozen_ = true;
        ::kill(-1, SIGSTOP);
        report(Report::Kind::frozen);
        break;
      case Command::Kind::thaw:
        ::kill(-1, SIGCONT);
        frozen_ = false;
        break;
      case Command::Kind::listen:
      case Command::Kind::socket: break;  // no keeper's test asks for one
    }
  }

  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (pid != command_) continue;
      if (WIFSTOPPED(status)) {
        if (!frozen_) report(Report::Kind::stopped, WSTOPSIG(status));
        continue;
      }
      ::kill(-1, SIGKILL);
      while (::waitpid(-1, nullptr, 0) > 0) {
      }
      report(Report::Kind::ended, status);
      ::_exit(0);
    }
  }

  std::array<int, 3> stdio_;
  int master_;
  sigset_t mask_ = {};
  UniqueFd children_;
  pid_t command_ = -1;
  bool frozen_ = false;
};

long setting(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

int setup_failed(const Error& error) {
  std::fprintf(stderr, "open_keeper: %s\n", error.describe().c_str());
  return exit_status(SetupFailed{error});
}

// One's own user and group, as the real launcher maps them.
void map_self(uid_t uid, gid_t gid) {
  auto line = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  static_cast<void>(sys::write_kernel_file("/proc/self/setgroups", "deny").has_value());
  static_cast<void>(sys::write_kernel_file("/proc/self/uid_map", line(uid)).has_value());
  static_cast<void>(sys::write_kernel_file("/proc/self/gid_map", line(gid)).has_value());
}

Result<keeper::Child> launch(const keeper::Stdio& stdio, char** argv) {
  keeper::Child child;
  UniqueFd slave;
  if (stdio.child().needs_pty()) {
    WARD_ASSIGN(sys::Pty pty, sys::open_pty());
    child.pty_master = std::move(pty.master);
    slave = std::move(pty.slave);
  }
  WARD_ASSIGN(auto sockets, sys::socket_pair());
  bool root = ::geteuid() == 0;
  uid_t uid = ::getuid();
  gid_t gid = ::getgid();
  long flags = CLONE_NEWPID | CLONE_PIDFD | SIGCHLD | (root ? 0 : CLONE_NEWUSER);
  int pidfd = -1;
  long pid = ::syscall(SYS_clone, flags, nullptr, &pidfd, nullptr, nullptr);
  if (pid < 0) return fail_errno(errno, "clone");
  if (pid == 0) {
    if (!root) map_self(uid, gid);
    control_fd = sockets.second.release();
    sockets.first.reset();
    slave.reset();
    Init(stdio.child(), child.pty_master.get()).run(argv);
  }
  child.pid = static_cast<pid_t>(pid);
  child.pidfd = UniqueFd(pidfd);
  child.control = std::move(sockets.first);
  return child;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  auto stdio = keeper::Stdio::plan();
  if (!stdio) return setup_failed(stdio.error());
  auto child = launch(*stdio, argv + 1);
  if (!child) return setup_failed(child.error());

  keeper::SuperviseSpec spec;
  spec.child = std::move(*child);
  spec.stdio = std::move(*stdio);
  if (long wall = setting("KEEPER_WALL_MS", 0); wall > 0)
    spec.wall = std::chrono::milliseconds(wall);
  spec.wall_grace = std::chrono::milliseconds(setting("KEEPER_GRACE_MS", 200));
  if (long output = setting("KEEPER_OUTPUT", -1); output >= 0)
    spec.output_bytes = static_cast<std::uint64_t>(output);
  spec.describe_failure = [](const Report& failed) {
    auto reason = failed.value == ENOENT ? SetupFailed::Reason::not_found
                                         : SetupFailed::Reason::not_executable;
    return SetupFailed{Error::from_errno(failed.value, "execute the command"), reason};
  };
  auto ended = keeper::Supervisor(std::move(spec)).run();
  if (!ended) return setup_failed(ended.error());
  if (const char* file = std::getenv("KEEPER_RESULT"); file != nullptr) {
    std::string text = describe(ended->outcome) + "\n";
    if (ended->usage.output_error) text += ended->usage.output_error->message() + "\n";
    static_cast<void>(sys::replace_file(file, text, 0644).has_value());
  }
  return exit_status(ended->outcome);
}
