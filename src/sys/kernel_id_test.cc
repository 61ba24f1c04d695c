// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/kernel_id.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace ward::sys {
namespace {

constexpr const char* kMounts =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "91 22 0:43 / /a\\0402\\04023\\0400:7 rw - btrfs /dev/loop0 rw,subvolid=5\n"
    "9 22 0:50 / /x rw - tmpfs none rw\n";

TEST(KernelId, TheDeviceOfAMountIsThatOfItsSuperblock) {
  EXPECT_EQ(device_of_mount(kMounts, 22), makedev(254, 0));
  EXPECT_EQ(device_of_mount(kMounts, 91), makedev(0, 43));
  EXPECT_EQ(device_of_mount(kMounts, 9), makedev(0, 50));
  EXPECT_EQ(device_of_mount(kMounts, 2), std::nullopt);
  for (const char* broken : {"", "\n", "7", "7 ", "7 1", "7 1 0", "7 1 0:", "7 x 0:1", "x 7 1 0:1"})
    EXPECT_EQ(device_of_mount(broken, 7), std::nullopt) << broken;
}

TEST(KernelId, TheMountAndTheInodeOfADescriptorAreTaken) {
  const auto info = parse_fdinfo("pos:\t0\nflags:\t012100000\nmnt_id:\t29\nino:\t4294967553\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->mount, 29U);
  EXPECT_EQ(info->inode, 4294967553U);
  // Before Linux 5.14.
  EXPECT_FALSE(parse_fdinfo("pos:\t0\nflags:\t012100000\nmnt_id:\t29\n"));
  EXPECT_FALSE(parse_fdinfo(""));
}

TEST(KernelId, WhereAFileSystemHasOneDeviceItIsStats) {
  Result<UniqueFd> fd = open_path("/proc/self", O_PATH);
  ASSERT_TRUE(fd);
  const Result<ObjectId> id = kernel_id(fd->get(), ::gettid());
  ASSERT_TRUE(id) << id.error().describe();
  EXPECT_EQ(*id, object_id(*stat_fd(fd->get())));
}

}  // namespace
}  // namespace ward::sys
