// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// While one lives, a write beyond RLIMIT_FSIZE fails with EFBIG and raises no SIGXFSZ, which would
// kill a supervisor whose user had set `ulimit -f` for the command's sake. Belongs to the calling
// thread and must end on it. Source: setrlimit(2): the signal goes to the thread that wrote.
#pragma once

#include <csignal>

namespace ward::sys {

class FileSizeSignalHeld {
 public:
  FileSizeSignalHeld();
  ~FileSizeSignalHeld();
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;

 private:
  sigset_t previous_;
};

}  // namespace ward::sys
