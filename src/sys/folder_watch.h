// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// FolderWatch tells that names have come into or gone from folders, by dnotify. inotify would tell
// the names too, but an instance of it is torn down only after a grace period of the kernel: 12 ms
// at the end of every command, and no more than 128 at a time for a user. Here closing a folder's
// descriptor ends its watch at once. Needs CONFIG_DNOTIFY, which every distribution sets. One
// thread, one FolderWatch a process. Sources: fcntl(2) F_NOTIFY (Linux 2.4), signalfd(2).
#pragma once

#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

class FolderWatch {
 public:
  // Blocks two signals in the calling thread, and they stay blocked: make it after the sandbox's
  // init has been cloned, or the command inherits it.
  static Result<FolderWatch> create();

  int fd() const { return signals_.get(); }
  // `folder` is a folder opened for reading; it stays the caller's, and closing it ends its watch.
  // EINVAL (invalid): the kernel has no dnotify.
  Status add(int folder) const;

  struct Changes {
    std::vector<int> folders;  // may repeat, and may name one that was closed meanwhile
    bool overflow = false;     // some were lost: all folders may have changed
  };
  Changes take() const;

 private:
  explicit FolderWatch(UniqueFd signals) : signals_(std::move(signals)) {}
  UniqueFd signals_;
};

}  // namespace ward::sys
