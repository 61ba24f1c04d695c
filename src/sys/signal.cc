// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/signal.h"

#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ward::sys {

Result<SignalSource> SignalSource::create(std::initializer_list<int> signals,
                                          std::initializer_list<int> held) {
  sigset_t taken;
  ::sigemptyset(&taken);
  for (int signal : signals) ::sigaddset(&taken, signal);
  sigset_t blocked = taken;
  for (int signal : held) ::sigaddset(&blocked, signal);

  SignalSource source;
  source.fd_ = UniqueFd(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!source.fd_.valid()) return fail_errno(errno, "signalfd");
  if (::sigprocmask(SIG_BLOCK, &blocked, &source.old_mask_) != 0)
    return fail_errno(errno, "sigprocmask");
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &source.old_sigpipe_);
  source.active_ = true;
  return source;
}

SignalSource::SignalSource(SignalSource&& other) noexcept
    : fd_(std::move(other.fd_)),
      active_(std::exchange(other.active_, false)),
      old_mask_(other.old_mask_),
      old_sigpipe_(other.old_sigpipe_) {}

SignalSource::~SignalSource() {
  if (!active_) return;
  ::sigaction(SIGPIPE, &old_sigpipe_, nullptr);
  ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

Result<std::optional<int>> SignalSource::next() {
  struct signalfd_siginfo info = {};
  ssize_t size = ::read(fd_.get(), &info, sizeof info);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (size != sizeof info) return fail_errno(errno, "read signalfd");
  return static_cast<int>(info.ssi_signo);
}

Status stop_by(int signal, StopScope scope) {
  if (::kill(scope == StopScope::group ? 0 : ::getpid(), signal) != 0)
    return fail_errno(errno, "kill");
  // A blocked stop signal takes effect while it is unblocked here.
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  sigset_t old_mask;
  if (::sigprocmask(SIG_UNBLOCK, &only, &old_mask) != 0) return fail_errno(errno, "sigprocmask");
  ::sigprocmask(SIG_SETMASK, &old_mask, nullptr);
  return {};
}

Status send_signal(int pidfd, int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) != 0)
    return fail_errno(errno, "pidfd_send_signal");
  return {};
}

Result<Reaped> reap(int pidfd) {
  siginfo_t info = {};
  Reaped reaped;
  long rc = -1;
  do {
    // The raw call: glibc's waitid() has no usage argument.
    rc = ::syscall(SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | __WALL, &reaped.usage);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) return fail_errno(errno, "waitid");
  reaped.wait_status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
  return reaped;
}

}  // namespace ward::sys
