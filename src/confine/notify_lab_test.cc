// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/notify_lab.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sys/raw.h"
#include "sys/seccomp_notify.h"
#include "sys/socket.h"
#include "sys/unix_diag.h"

namespace ward::confine {

namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  ::_exit(99);
}

struct Plan {
  std::vector<struct sock_filter> program;
  int channel;
  int report;
};

[[noreturn]] void be_command(const Plan& plan, int diagnostics,
                             const std::function<std::string()>& inside) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("no_new_privs");
  if (sys::raw::drop_bounding_set() < 0 || sys::raw::drop_capabilities() < 0)
    give_up("capabilities");
  ::prctl(PR_SET_DUMPABLE, 1);
  int listener = sys::install_filter(plan.program);
  if (listener < 0) give_up("filter");
  const int fds[] = {listener, diagnostics};
  if (!sys::send_message(plan.channel, "listener", fds)) give_up("send");
  ::close(listener);
  if (!sys::receive_message(plan.channel)) give_up("wait to start");
  ::close(plan.channel);
  std::string text = inside();
  if (!sys::write_all(plan.report, text)) give_up("report");
  ::_exit(text.empty() ? 0 : 1);
}

[[noreturn]] void be_init(const Plan& plan, const std::function<std::string()>& inside) {
  if (!sys::receive_message(plan.channel)) give_up("wait for the id maps");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) give_up("private");
  if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) give_up("mount /proc");
  if (sys::raw::loopback_up() < 0) give_up("loopback");
  int diagnostics = sys::open_unix_diagnostics();
  if (diagnostics < 0) give_up("unix diagnostics");
  pid_t command = ::fork();
  if (command < 0) give_up("fork");
  if (command == 0) be_command(plan, diagnostics, inside);
  int status = 0;
  while (::waitpid(command, &status, 0) < 0) {
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

void write_maps(pid_t child) {
  std::string folder = "/proc/" + std::to_string(child) + "/";
  std::string user = std::to_string(::geteuid());
  std::string group = std::to_string(::getegid());
  bool root = ::geteuid() == 0;
  (void)sys::write_kernel_file(folder + "setgroups", root ? "allow" : "deny").has_value();
  Status users = sys::write_kernel_file(folder + "uid_map",
                                        root ? "0 0 4294967295" : user + " " + user + " 1");
  Status groups = sys::write_kernel_file(folder + "gid_map",
                                         root ? "0 0 4294967295" : group + " " + group + " 1");
  if (!users || !groups) std::fprintf(stderr, "the id maps cannot be written\n");
}

int stream_at(const std::string& path, int (*act)(int, const struct sockaddr*, socklen_t)) {
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
  if (act(fd, reinterpret_cast<const struct sockaddr*>(&address), sizeof address) == 0) return fd;
  int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

}  // namespace

void Findings::expect(long value, int error, const std::string& what) {
  int got = value < 0 ? errno : 0;
  if (got != error) text_ += what + ": " + (got == 0 ? "succeeded" : std::strerror(got)) + "; ";
  if (value > 2) ::close(static_cast<int>(value));
}

void Findings::check(bool holds, const std::string& what) {
  if (!holds) text_ += what + "; ";
}

int bind_unix(const std::string& path) { return stream_at(path, ::bind); }
int connect_unix(const std::string& path) { return stream_at(path, ::connect); }

LabResult run_in_lab(LabOptions options, const std::function<std::string()>& inside) {
  LabResult result;
  auto program = compile_filter(options.filter);
  auto pair = sys::socket_pair();
  int report[2] = {-1, -1};
  if (!program || !pair || ::pipe2(report, O_CLOEXEC) != 0) {
    result.report = "the lab cannot be set up";
    return result;
  }
  UniqueFd report_in(report[0]);
  UniqueFd report_out(report[1]);
  auto [ours, theirs] = std::move(*pair);
  struct clone_args arguments = {};
  arguments.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
  arguments.exit_signal = SIGCHLD;
  long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ours.reset();
    be_init({std::move(*program), theirs.get(), report_out.get()}, inside);
  }
  theirs.reset();
  report_out.reset();
  write_maps(static_cast<pid_t>(child));
  (void)sys::send_message(ours.get(), "go").has_value();
  auto message = sys::receive_message(ours.get());
  if (message && message->fds.size() == 2) {
    auto made = Notifier::create(options.spec,
                                 [&](const Denial& denial) { result.denials.push_back(denial); });
    if (made) {
      made->start({std::move(message->fds[0]), std::move(message->fds[1])});
      result.notifier = std::make_shared<Notifier>(std::move(*made));
    }
    const std::shared_ptr<Notifier> notifier = result.notifier;
    int extra =
        notifier && options.on_start ? options.on_start(static_cast<pid_t>(child), *notifier) : -1;
    (void)sys::send_message(ours.get(), "go").has_value();
    auto deadline = std::chrono::steady_clock::now() + options.deadline;
    while (notifier && !notifier->finished()) {
      struct pollfd fds[] = {
          {notifier->fd(), POLLIN, 0}, {notifier->side_fd(), POLLIN, 0}, {extra, POLLIN, 0}};
      ::poll(fds, 3, 1000);
      if (fds[0].revents != 0 && !notifier->on_readable()) break;
      if ((fds[1].revents & POLLIN) != 0 && !notifier->on_side_readable()) break;
      if ((fds[2].revents & POLLIN) != 0) options.on_extra();
      if (options.on_round) options.on_round(*notifier);
      if (std::chrono::steady_clock::now() > deadline) {
        result.hung = true;
        break;
      }
    }
  }
  if (result.hung) ::kill(static_cast<pid_t>(child), SIGKILL);
  auto text = sys::read_fd(report_in.get());
  ::waitpid(static_cast<pid_t>(child), &result.status, 0);
  result.report = text ? *text : "no report";
  if (result.hung) result.report += "hung";
  return result;
}

}  // namespace ward::confine
