// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// LateMask hides a path inside a sandbox that is already running: an object of its kind with mode
// 000 and a read-only mount is put on it, in the sandbox's own mount namespace, by a forked child
// that enters it. Who has the file open keeps it open. Owned by the watch, one thread. Sources:
// setns(2), move_mount(2) (Linux 5.2), mount_setattr(2) (5.12).
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/path_plan.h"

namespace ward::confine {

class LateMask {
 public:
  LateMask(UniqueFd user_namespace, UniqueFd mount_namespace)
      : user_namespace_(std::move(user_namespace)), mount_namespace_(std::move(mount_namespace)) {}

  // `path` is canonical. ENOENT (not_found): it is gone again. ELOOP: it is a symbolic link, which
  // cannot be masked and whose target has a path of its own.
  Status hide(const std::string& path) const;

  // Puts the mount of a row on its path anew unless one is there; true: there was none. A path that
  // was read-only becomes so again, any other is hidden.
  Result<bool> renew(const std::string& path, Action action) const;

 private:
  enum class Work : std::uint8_t { hide, hide_again, protect_again };
  Result<int> perform(const std::string& path, Work work) const;

  UniqueFd user_namespace_, mount_namespace_;
};

}  // namespace ward::confine
