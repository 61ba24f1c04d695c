// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Signals as descriptors, and signals to processes held by a pidfd. A SignalSource owns the calling
// thread's mask while it lives: made after the children that are to inherit the caller's mask, and
// destroyed by the same thread. Sources: signalfd(2), sigprocmask(2), pidfd_send_signal(2) (Linux
// 5.1), waitid(2) with P_PIDFD (Linux 5.4).
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <initializer_list>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

class SignalSource {
 public:
  // Blocks `signals` and makes them readable at fd(); blocks `held` without taking them. SIGPIPE is
  // ignored meanwhile: a write to a closed pipe is an error, not an end.
  static Result<SignalSource> create(std::initializer_list<int> signals,
                                     std::initializer_list<int> held);
  SignalSource(SignalSource&& other) noexcept;
  SignalSource& operator=(SignalSource&&) = delete;
  ~SignalSource();

  int fd() const { return fd_.get(); }
  // The next pending signal's number, or nothing. Never waits.
  Result<std::optional<int>> next();

 private:
  SignalSource() = default;
  UniqueFd fd_;
  bool active_ = false;
  sigset_t old_mask_ = {};
  struct sigaction old_sigpipe_ = {};
};

enum class StopScope { self, group };
// Stops this process, or its whole process group, as `signal` (SIGTSTP, SIGSTOP, SIGTTOU) does, and
// returns once it was continued. Returns at once where the kernel does not stop it: the signal is
// ignored, or the group is orphaned and nobody could continue it.
Status stop_by(int signal, StopScope scope);

Status send_signal(int pidfd, int signal);

struct Reaped {
  int wait_status = 0;       // as waitpid(2) gives it
  struct rusage usage = {};  // of the process and of every descendant that was waited for
};
// Waits for the end of a child and reaps it.
Result<Reaped> reap(int pidfd);

}  // namespace ward::sys
