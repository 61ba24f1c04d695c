// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/late_mask.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "sys/raw.h"

namespace ward::confine {

namespace {

namespace raw = sys::raw;

constexpr unsigned kAttributes =
    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

// Before Linux 6.15 only what is attached can be cloned: it is attached for that where nobody sees
// it, in a copy of the sandbox's mount namespace.
long clone_attached(int mount, const char* name, int sandbox) {
  if (long status = raw::unshare(CLONE_NEWNS); status < 0) return status;
  long status = raw::move_mount(mount, "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH);
  if (status < 0) return status;
  long root = raw::openat(AT_FDCWD, "/tmp", O_PATH | O_DIRECTORY);
  if (root < 0) return root;
  long tree = raw::open_tree(static_cast<int>(root), name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (tree >= 0 && ::setns(sandbox, CLONE_NEWNS) != 0) return -errno;
  return tree;
}

long object_of_no_mode(bool folder, int sandbox) {
  long fs = raw::fsopen("tmpfs");
  if (fs < 0) return fs;
  long status = raw::fsconfig_string(static_cast<int>(fs), "mode", folder ? "000" : "700");
  if (status == 0) status = raw::fsconfig_create(static_cast<int>(fs));
  if (status < 0) return status;
  long mount = raw::fsmount(static_cast<int>(fs), folder ? kAttributes : 0);
  if (mount < 0 || folder) return mount;
  long file = raw::openat(static_cast<int>(mount), "mask", O_CREAT | O_EXCL | O_RDONLY, 0);
  if (file < 0) return file;
  long tree = raw::open_tree(static_cast<int>(mount), "mask", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (tree == -EINVAL) tree = clone_attached(static_cast<int>(mount), "mask", sandbox);
  if (tree < 0) return tree;
  status = raw::mount_setattr(static_cast<int>(tree), "", AT_EMPTY_PATH, kAttributes, 0);
  return status < 0 ? status : tree;
}

constexpr unsigned kInert = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

bool is_mounted_on(int target) {
  struct statx status = {};
  return ::statx(target, "", AT_EMPTY_PATH, 0, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

long read_only_clone(int target, bool folder) {
  long tree = raw::open_tree(target, "",
                             OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH |
                                 (folder ? static_cast<unsigned>(AT_RECURSIVE) : 0U));
  if (tree < 0) return tree;
  long status =
      raw::mount_setattr(static_cast<int>(tree), "", AT_EMPTY_PATH | AT_RECURSIVE, kInert, 0);
  return status < 0 ? status : tree;
}

}  // namespace

// In the child: an errno, or kStands.
constexpr int kStands = 255;  // above every errno

Result<int> LateMask::perform(const std::string& path, Work work) const {
  auto mask = [&]() -> long {
    if (::setns(user_namespace_.get(), CLONE_NEWUSER) != 0 ||
        ::setns(mount_namespace_.get(), CLONE_NEWNS) != 0)
      return -errno;
    long target = raw::open_no_links(path.c_str(), O_PATH | O_NOFOLLOW);
    if (target < 0) return target;
    struct stat status = {};
    if (::fstat(static_cast<int>(target), &status) != 0) return -errno;
    if (S_ISLNK(status.st_mode)) return -ELOOP;
    if (work != Work::hide && is_mounted_on(static_cast<int>(target))) return -kStands;
    long object = work == Work::protect_again
                      ? read_only_clone(static_cast<int>(target), S_ISDIR(status.st_mode))
                      : object_of_no_mode(S_ISDIR(status.st_mode), mount_namespace_.get());
    if (object < 0) return object;
    return raw::move_mount(static_cast<int>(object), "", static_cast<int>(target), "",
                           MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
  };
  int pidfd = -1;
  struct clone_args arguments = {};
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid < 0) return fail_errno(errno, "fork to hide " + path);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(static_cast<int>(-mask()));
  }
  UniqueFd child(pidfd);
  siginfo_t info = {};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | __WALL) != 0) {
    if (errno != EINTR) return fail_errno(errno, "wait for the mask of " + path);
  }
  if (info.si_code != CLD_EXITED) return fail(ErrorKind::io, "hide " + path + ": the child died");
  // errno values fit into an exit status.
  if (info.si_status != 0 && info.si_status != kStands)
    return fail_errno(info.si_status, "hide " + path);
  return info.si_status;
}

Status LateMask::hide(const std::string& path) const {
  WARD_TRY(perform(path, Work::hide));
  return {};
}

Result<bool> LateMask::renew(const std::string& path, Action action) const {
  WARD_ASSIGN(int done,
              perform(path, action == Action::read_only ? Work::protect_again : Work::hide_again));
  return done != kStands;
}

}  // namespace ward::confine
