// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Kernel calls for code between clone and exec: no allocation, no locks, no logging, no errno. Each
// returns the kernel's value, or the negative errno. Names and arguments are those of the manual
// pages: mount_setattr(2) (Linux 5.12), open_tree(2), move_mount(2), fsopen(2) (5.2),
// close_range(2) (5.9), landlock(7) (5.13), capset(2), prctl(2). Safe from any thread and in a
// forked child.
#pragma once

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ward::sys::raw {

inline long value_or_errno(long value) { return value < 0 ? -errno : value; }

inline long open_tree(int dirfd, const char* path, unsigned flags) {
  return value_or_errno(::syscall(SYS_open_tree, dirfd, path, flags));
}
inline long move_mount(int from, const char* from_path, int to, const char* to_path,
                       unsigned flags) {
  return value_or_errno(::syscall(SYS_move_mount, from, from_path, to, to_path, flags));
}
inline long mount_setattr(int dirfd, const char* path, unsigned flags, std::uint64_t set,
                          std::uint64_t clear, std::uint64_t propagation = 0) {
  struct mount_attr attributes = {};
  attributes.attr_set = set;
  attributes.attr_clr = clear;
  attributes.propagation = propagation;
  return value_or_errno(
      ::syscall(SYS_mount_setattr, dirfd, path, flags, &attributes, sizeof attributes));
}
inline long fsopen(const char* type) {
  return value_or_errno(::syscall(SYS_fsopen, type, FSOPEN_CLOEXEC));
}
inline long fsconfig_string(int fs, const char* key, const char* value) {
  return value_or_errno(::syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0));
}
inline long fsconfig_flag(int fs, const char* key) {
  return value_or_errno(::syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, key, nullptr, 0));
}
inline long fsconfig_create(int fs) {
  return value_or_errno(::syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0));
}
inline long fsmount(int fs, unsigned attributes) {
  return value_or_errno(::syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes));
}
inline long openat(int dirfd, const char* path, int flags, mode_t mode = 0) {
  return value_or_errno(::openat(dirfd, path, flags | O_CLOEXEC, mode));
}
// openat2(2) that refuses every symbolic link on the way.
long open_no_links(const char* path, int flags);
inline long mkdirat(int dirfd, const char* path, mode_t mode) {
  return value_or_errno(::mkdirat(dirfd, path, mode));
}
inline long symlinkat(const char* target, int dirfd, const char* path) {
  return value_or_errno(::symlinkat(target, dirfd, path));
}
inline long close(int fd) { return value_or_errno(::close(fd)); }
inline long close_range(unsigned first, unsigned last, unsigned flags) {
  return value_or_errno(::syscall(SYS_close_range, first, last, flags));
}
inline long prctl(int option, unsigned long a = 0, unsigned long b = 0, unsigned long c = 0,
                  unsigned long d = 0) {
  return value_or_errno(::prctl(option, a, b, c, d));
}
inline long unshare(int flags) { return value_or_errno(::syscall(SYS_unshare, flags)); }
inline long pivot_root(const char* new_root, const char* put_old) {
  return value_or_errno(::syscall(SYS_pivot_root, new_root, put_old));
}

// Waits until `word`, in memory that processes share, no longer has `value`; EAGAIN where it has
// not. futex(2).
long futex_wait(const std::uint32_t& word, std::uint32_t value);
// Stores the value and wakes every waiter.
void futex_set(std::uint32_t& word, std::uint32_t value);

// One message over a local socket, with at most kMostSentFds descriptors. sendmsg(2), cmsg(3).
inline constexpr std::size_t kMostSentFds = 8;
long send_with_fds(int socket, const void* bytes, std::size_t size, std::span<const int> fds);

// No exec can give a capability from then on; needs CAP_SETPCAP.
long drop_bounding_set();
// Gives up every capability: ambient, inheritable, permitted, effective.
long drop_capabilities();
// All but this one, which stays permitted and effective.
long drop_capabilities_but(unsigned long kept);

// Brings the loopback interface of this network namespace up.
long loopback_up();

}  // namespace ward::sys::raw
