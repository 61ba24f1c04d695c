// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/walk_devices.h"

#include <linux/magic.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>

namespace ward::confine {

namespace {

// File systems that only show kernel state: nothing to hide in them that a policy could name by a
// pattern, and reading some of them has no end.
constexpr std::uint64_t kKernelFileSystems[] = {
    PROC_SUPER_MAGIC,      SYSFS_MAGIC,   CGROUP_SUPER_MAGIC,      CGROUP2_SUPER_MAGIC,
    DEBUGFS_MAGIC,         TRACEFS_MAGIC, DEVPTS_SUPER_MAGIC,      SECURITYFS_MAGIC,
    BPF_FS_MAGIC,          SELINUX_MAGIC, PSTOREFS_MAGIC,          EFIVARFS_MAGIC,
    BINFMTFS_MAGIC,        NSFS_MAGIC,    0x62656570 /*configfs*/, 0x65735543 /*fusectl*/,
    0x19800202 /*mqueue*/,
};

// File systems whose change times come from this machine's clock, so that "changed since" can be
// decided. A network or user-space server stamps with its own clock and may not tell of changes at
// all; folders there are read each time.
constexpr std::uint64_t kIndexableFileSystems[] = {
    EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,
    TMPFS_MAGIC,      F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
};

bool is_one_of(std::span<const std::uint64_t> types, std::uint64_t type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

Result<WalkDevice> WalkDevices::find(std::uint64_t number, int dirfd, const char* path) {
  // Devices are few, and the last one found is the likeliest.
  for (auto it = known_.rbegin(); it != known_.rend(); ++it)
    if (it->number == number) return *it;
  UniqueFd handle;
  if (*path != '\0') {
    WARD_ASSIGN(handle, sys::open_directory_handle(dirfd, path));
    dirfd = handle.get();
  }
  WARD_ASSIGN(sys::FileSystem file_system, sys::file_system_of(dirfd));
  WARD_ASSIGN(struct stat status, sys::stat_fd(dirfd));
  if (status.st_dev != number) return fail_errno(ENOENT, std::string("open folder ") + path);
  known_.push_back({number, file_system.id, is_one_of(kKernelFileSystems, file_system.type),
                    is_one_of(kIndexableFileSystems, file_system.type)});
  return known_.back();
}

}  // namespace ward::confine
