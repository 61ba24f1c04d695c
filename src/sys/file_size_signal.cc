// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/file_size_signal.h"

#include <pthread.h>

#include <ctime>

namespace ward::sys {

namespace {

sigset_t file_size_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

FileSizeSignalHeld::FileSizeSignalHeld() {
  const sigset_t held = file_size_signal();
  ::pthread_sigmask(SIG_BLOCK, &held, &previous_);
}

FileSizeSignalHeld::~FileSizeSignalHeld() {
  // One that came meanwhile is taken, or it would be delivered by the next call. One that the
  // caller had blocked already is the caller's to see.
  if (sigismember(&previous_, SIGXFSZ) == 0) {
    const sigset_t held = file_size_signal();
    const struct timespec at_once = {};
    ::sigtimedwait(&held, nullptr, &at_once);
  }
  ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

}  // namespace ward::sys
