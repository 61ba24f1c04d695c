// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PathCall: a system call on paths, read from a notification's registers, the same for the old and
// the `at` form of a call. Registers cannot change under the supervisor; what they point to can. A
// plain value; decoding is pure.
#pragma once

#include <linux/seccomp.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace ward::confine {

struct PathCall {
  enum class Kind : std::uint8_t {
    open,  // open, openat, creat
    mkdir,
    mknod,
    rename,   // rename, renameat, renameat2: `second` is the new name
    link,     // link, linkat: `second` is the new name
    symlink,  // symlink, symlinkat: `text` is the link's text, `first` the new name
    remove,   // unlink, unlinkat, rmdir
    change,   // chmod, chown, truncate, utime and their like
    execute,  // execve, execveat
    enter,    // chdir
  };
  struct Target {
    int dirfd = 0;
    std::uint64_t address = 0;  // 0: the descriptor itself
  };
  Kind kind = Kind::open;
  Target first, second;
  std::uint64_t text = 0;
  int flags = 0;
  mode_t mode = 0;
  std::uint64_t device = 0;
};

// Nothing for calls that are not on paths, such as bind and connect.
std::optional<PathCall> decode_path_call(const struct seccomp_data& data);

// Does this call create where its path does not exist? From the registers alone.
bool may_create(const PathCall& call);

}  // namespace ward::confine
