// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/path_call.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "sys/uapi.h"

namespace ward::confine {

namespace {

constexpr std::int8_t kNone = -1;

// Which register holds what.
struct Shape {
  int number = 0;
  PathCall::Kind kind = PathCall::Kind::open;
  std::int8_t dirfd = kNone, path = kNone, second_dirfd = kNone, second_path = kNone;
  std::int8_t flags = kNone, mode = kNone, device = kNone, text = kNone;
  int fixed_flags = 0;
};

using enum PathCall::Kind;

constexpr Shape kShapes[] = {
#ifdef SYS_open
    {.number = SYS_open, .kind = open, .path = 0, .flags = 1, .mode = 2},
    {.number = SYS_creat,
     .kind = open,
     .path = 0,
     .mode = 1,
     .fixed_flags = O_CREAT | O_WRONLY | O_TRUNC},
    {.number = SYS_mkdir, .kind = mkdir, .path = 0, .mode = 1},
    {.number = SYS_mknod, .kind = mknod, .path = 0, .mode = 1, .device = 2},
    {.number = SYS_rename, .kind = rename, .path = 0, .second_path = 1},
    {.number = SYS_link, .kind = link, .path = 0, .second_path = 1},
    {.number = SYS_symlink, .kind = symlink, .path = 1, .text = 0},
    {.number = SYS_unlink, .kind = remove, .path = 0},
    {.number = SYS_rmdir, .kind = remove, .path = 0, .fixed_flags = AT_REMOVEDIR},
    {.number = SYS_chmod, .kind = change, .path = 0},
    {.number = SYS_futimesat, .kind = change, .dirfd = 0, .path = 1},
    {.number = SYS_chown, .kind = change, .path = 0},
    {.number = SYS_lchown, .kind = change, .path = 0, .fixed_flags = AT_SYMLINK_NOFOLLOW},
    {.number = SYS_utime, .kind = change, .path = 0},
    {.number = SYS_utimes, .kind = change, .path = 0},
#endif
    {.number = SYS_openat, .kind = open, .dirfd = 0, .path = 1, .flags = 2, .mode = 3},
    {.number = SYS_mkdirat, .kind = mkdir, .dirfd = 0, .path = 1, .mode = 2},
    {.number = SYS_mknodat, .kind = mknod, .dirfd = 0, .path = 1, .mode = 2, .device = 3},
    {.number = SYS_renameat,
     .kind = rename,
     .dirfd = 0,
     .path = 1,
     .second_dirfd = 2,
     .second_path = 3},
    {.number = SYS_renameat2,
     .kind = rename,
     .dirfd = 0,
     .path = 1,
     .second_dirfd = 2,
     .second_path = 3,
     .flags = 4},
    {.number = SYS_linkat,
     .kind = link,
     .dirfd = 0,
     .path = 1,
     .second_dirfd = 2,
     .second_path = 3,
     .flags = 4},
    {.number = SYS_symlinkat, .kind = symlink, .dirfd = 1, .path = 2, .text = 0},
    {.number = SYS_unlinkat, .kind = remove, .dirfd = 0, .path = 1, .flags = 2},
    {.number = SYS_truncate, .kind = change, .path = 0},
    {.number = SYS_fchmod, .kind = change, .dirfd = 0},
    {.number = SYS_fchown, .kind = change, .dirfd = 0},
    {.number = SYS_setxattr, .kind = change, .path = 0},
    {.number = SYS_lsetxattr, .kind = change, .path = 0, .fixed_flags = AT_SYMLINK_NOFOLLOW},
    {.number = SYS_fsetxattr, .kind = change, .dirfd = 0},
    {.number = SYS_removexattr, .kind = change, .path = 0},
    {.number = SYS_lremovexattr, .kind = change, .path = 0, .fixed_flags = AT_SYMLINK_NOFOLLOW},
    {.number = SYS_fremovexattr, .kind = change, .dirfd = 0},
    {.number = SYS_chdir, .kind = enter, .path = 0},
    {.number = SYS_fchmodat, .kind = change, .dirfd = 0, .path = 1},
    {.number = sys::uapi::kNrFchmodat2, .kind = change, .dirfd = 0, .path = 1, .flags = 3},
    {.number = SYS_fchownat, .kind = change, .dirfd = 0, .path = 1, .flags = 4},
    {.number = SYS_utimensat, .kind = change, .dirfd = 0, .path = 1, .flags = 3},
    {.number = SYS_execve, .kind = execute, .path = 0},
    {.number = SYS_execveat, .kind = execute, .dirfd = 0, .path = 1, .flags = 4},
};

std::uint64_t argument(const struct seccomp_data& data, std::int8_t index) {
  return index == kNone ? 0 : data.args[index];
}

int folder(const struct seccomp_data& data, std::int8_t index) {
  return index == kNone ? AT_FDCWD : static_cast<int>(data.args[index]);
}

}  // namespace

std::optional<PathCall> decode_path_call(const struct seccomp_data& data) {
  for (const Shape& shape : kShapes) {
    if (shape.number != data.nr) continue;
    PathCall call;
    call.kind = shape.kind;
    call.first = {folder(data, shape.dirfd), argument(data, shape.path)};
    call.second = {folder(data, shape.second_dirfd), argument(data, shape.second_path)};
    call.text = argument(data, shape.text);
    call.flags = shape.fixed_flags | static_cast<int>(argument(data, shape.flags));
    call.mode = static_cast<mode_t>(argument(data, shape.mode));
    call.device = argument(data, shape.device);
    return call;
  }
  return std::nullopt;
}

bool may_create(const PathCall& call) {
  switch (call.kind) {
    case open: return (call.flags & O_CREAT) != 0 && (call.flags & O_PATH) == 0;
    case mkdir:
    case mknod:
    case rename:
    case link:
    case symlink: return true;
    case remove:
    case change:
    case execute:
    case enter: return false;
  }
  return false;
}

}  // namespace ward::confine
