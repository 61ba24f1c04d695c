// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/folder_watch.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace ward::sys {

namespace {

// Queued, each with the descriptor it is about; when the queue is full the kernel sends SIGIO.
int change_signal() { return SIGRTMIN + 5; }

}  // namespace

Result<FolderWatch> FolderWatch::create() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, change_signal());
  sigaddset(&signals, SIGIO);
  if (::sigprocmask(SIG_BLOCK, &signals, nullptr) != 0) return fail_errno(errno, "block signals");
  UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) return fail_errno(errno, "signalfd");
  return FolderWatch(std::move(fd));
}

Status FolderWatch::add(int folder) const {
  if (::fcntl(folder, F_SETSIG, change_signal()) != 0 ||
      ::fcntl(folder, F_NOTIFY, DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT) != 0)
    return fail_errno(errno, "watch a folder");
  return {};
}

FolderWatch::Changes FolderWatch::take() const {
  Changes changes;
  std::array<struct signalfd_siginfo, 64> events;
  for (;;) {
    ssize_t size = ::read(signals_.get(), events.data(), sizeof events);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return changes;
    std::size_t count = static_cast<std::size_t>(size) / sizeof events[0];
    for (std::size_t i = 0; i < count; ++i) {
      if (events.at(i).ssi_signo == static_cast<unsigned>(SIGIO))
        changes.overflow = true;
      else
        changes.folders.push_back(events.at(i).ssi_fd);
    }
  }
}

}  // namespace ward::sys
