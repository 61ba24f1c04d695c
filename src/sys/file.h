// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Files and folders: open, stat, read, write, list. One function a system call use, EINTR handled,
// every descriptor close-on-exec, the path or descriptor in the error's text. No policy. Safe from
// any thread. Sources: openat2(2) (Linux 5.6), statx(2), getdents64(2), rename(2).
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

// One object, whatever its names.
struct ObjectId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const ObjectId&) const = default;
};
ObjectId object_id(const struct stat& status);

// openat(2) with O_CLOEXEC added.
Result<UniqueFd> open_at(int dirfd, const std::string& path, int flags, mode_t mode = 0);
inline Result<UniqueFd> open_path(const std::string& path, int flags, mode_t mode = 0) {
  return open_at(AT_FDCWD, path, flags, mode);
}
// openat2(2) with O_CLOEXEC added; `resolve` is RESOLVE_BENEATH and its like.
Result<UniqueFd> open_resolved(int dirfd, const std::string& path, int flags, std::uint64_t resolve,
                               mode_t mode = 0);

Result<struct stat> stat_at(int dirfd, const std::string& path, int flags = 0);
Result<struct stat> stat_fd(int fd);
Result<std::string> readlink_at(int dirfd, const std::string& path);
// The path of a descriptor as this process sees it (/proc/self/fd); fails for a deleted object.
Result<std::string> path_of_fd(int fd);

// The whole file, refused over `max_bytes` (exhausted).
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes = 16U << 20U);
Result<std::string> read_fd(int fd, std::uint64_t max_bytes = 16U << 20U);
Status write_all(int fd, std::string_view bytes);
// Writes one short string to a kernel file (/proc, /sys) in a single write(2).
Status write_kernel_file(const std::string& path, std::string_view text);
// Replaces `path` by a new file with these bytes: written beside it, synced, renamed over it.
Status replace_file(const std::string& path, std::string_view bytes, mode_t mode);
// mkdir -p with `mode` for each folder that is made.
Status make_dirs(const std::string& path, mode_t mode);

}  // namespace ward::sys
