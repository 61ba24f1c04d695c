// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The identity of an object as the kernel's own tables have it (unix_diag, /proc/locks): the device
// of its superblock and the number of its inode. stat(2) tells others where a file system has
// several devices: of a subvolume of btrfs, of a layer of an overlay. Safe from any thread.
// Sources: proc(5), /proc/PID/fdinfo (`ino` since Linux 5.14), /proc/PID/mountinfo.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "base/result.h"
#include "sys/file.h"

namespace ward::sys {

// Of what `fd` refers to; its mount is one of the mount namespace of thread `tid`.
Result<ObjectId> kernel_id(int fd, pid_t tid);

// The parts of it, of such texts.
struct DescriptorInfo {
  std::uint64_t mount = 0;
  std::uint64_t inode = 0;
};
std::optional<DescriptorInfo> parse_fdinfo(std::string_view text);
std::optional<std::uint64_t> device_of_mount(std::string_view mountinfo, std::uint64_t mount);

// When the object came into being, in nanoseconds since 1970; nothing where the file system does
// not tell. No call sets it.
std::optional<std::uint64_t> birth_ns(int fd);

}  // namespace ward::sys
