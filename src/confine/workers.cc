// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/workers.h"

#include <linux/sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

#include "sys/seccomp_notify.h"

namespace ward::confine {

namespace {

// What else is open belongs to the supervisor: a worker that held an end of one of its pipes would
// keep the command from seeing the end of its input.
void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned from = 0;
  for (int fd : kept) {
    auto here = static_cast<unsigned>(fd);
    if (here > from) ::syscall(SYS_close_range, from, here - 1, 0);
    from = here + 1;
  }
  ::syscall(SYS_close_range, from, ~0U, 0);
}

[[noreturn]] void work(const Caller& caller, std::span<const int> keep,
                       const std::function<Reply()>& job, pid_t supervisor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(1);
  std::vector<int> kept(keep.begin(), keep.end());
  kept.push_back(caller.listener);
  close_all_but(std::move(kept));
  Reply reply = job();
  ::_exit(send_reply(caller, reply) ? 0 : 1);
}

// No signal tells of its end: the pidfd does, and the supervisor's own children stay apart.
Result<UniqueFd> fork_worker(const Caller& caller, std::span<const int> keep,
                             const std::function<Reply()>& job) {
  pid_t supervisor = ::getpid();
  int pidfd = -1;
  struct clone_args arguments = {};
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid < 0) return fail_errno(errno, "fork a worker");
  if (pid == 0) work(caller, keep, job, supervisor);
  return UniqueFd(pidfd);
}

void wait_for(int pidfd) {
  siginfo_t info = {};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | __WALL) != 0 &&
         errno == EINTR) {
  }
}

void kill_and_wait(int pidfd) {
  ::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
  wait_for(pidfd);
}

// A worker that died without an answer must not leave its caller waiting.
void fail_if_waiting(const Caller& caller) {
  if (sys::notification_valid(caller.listener, caller.id))
    (void)send_reply(caller, Reply::failure(EINTR)).has_value();
}

}  // namespace

Status send_reply(const Caller& caller, const Reply& reply) {
  Status sent;
  switch (reply.kind) {
    case Reply::Kind::later: return {};
    case Reply::Kind::go_on: sent = sys::answer_continue(caller.listener, caller.id); break;
    case Reply::Kind::error:
      sent = sys::answer_error(caller.listener, caller.id, reply.error);
      break;
    case Reply::Kind::success: sent = sys::answer_value(caller.listener, caller.id, 0); break;
    case Reply::Kind::descriptor:
      sent = sys::answer_descriptor(caller.listener, caller.id, reply.fd.get(), reply.fd_flags);
      if (!sent) {
        if (reply.undo) reply.undo();
        int error = sent.error().os_errno();
        if (error == EMFILE || error == ENFILE || error == ENOMEM)
          sent = sys::answer_error(caller.listener, caller.id, error);
      }
      break;
  }
  if (!sent && sent.error().os_errno() == ENOENT) return {};
  return sent;
}

Workers::~Workers() {
  for (auto& [fd, worker] : running_) kill_and_wait(fd);
}

Status Workers::start(const Caller& caller, std::span<const int> keep,
                      const std::function<Reply()>& job) {
  if (running_.size() >= kMostWorkers) return fail_errno(EAGAIN, "too many waiting calls");
  WARD_ASSIGN(UniqueFd pidfd, fork_worker(caller, keep, job));
  int fd = pidfd.get();
  struct epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) {
    int error = errno;
    kill_and_wait(fd);
    return fail_errno(error, "watch a worker");
  }
  running_.emplace(fd, Worker{std::move(pidfd), caller});
  return {};
}

Status Workers::run(const Caller& caller, std::span<const int> keep,
                    const std::function<Reply()>& job) {
  WARD_ASSIGN(UniqueFd pidfd, fork_worker(caller, keep, job));
  wait_for(pidfd.get());
  fail_if_waiting(caller);
  return {};
}

bool Workers::reap(int fd) {
  auto worker = running_.find(fd);
  if (worker == running_.end()) return false;
  wait_for(fd);
  fail_if_waiting(worker->second.caller);
  running_.erase(worker);
  return true;
}

void Workers::end_orphans() {
  for (auto worker = running_.begin(); worker != running_.end();) {
    if (sys::notification_valid(worker->second.caller.listener, worker->second.caller.id)) {
      ++worker;
      continue;
    }
    kill_and_wait(worker->first);
    worker = running_.erase(worker);
  }
}

}  // namespace ward::confine
