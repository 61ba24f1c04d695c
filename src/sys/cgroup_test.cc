// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/cgroup.h"

#include <gtest/gtest.h>

namespace ward::sys {
namespace {

constexpr std::string_view kHybridMounts =
    "24 1 0:21 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "25 24 0:22 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "26 24 0:23 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "27 24 0:24 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
    "28 24 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
constexpr std::string_view kHybridMembership =
    "9:name=systemd:/user.slice\n"
    "4:memory:/jobs/a:b\n"
    "3:cpu,cpuacct:/\n"
    "0::/\n";

TEST(Cgroups, AHybridMachineShowsEachHierarchyWithThisProcesssGroup) {
  const CgroupState state = parse_cgroups(kHybridMounts, kHybridMembership);
  ASSERT_NE(state.v1_of("memory"), nullptr);
  EXPECT_EQ(state.v1_of("memory")->own_dir, "/sys/fs/cgroup/memory/jobs/a:b");
  ASSERT_NE(state.v1_of("cpuacct"), nullptr);
  EXPECT_EQ(state.v1_of("cpuacct")->own_dir, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(state.v1_of("cpu"), state.v1_of("cpuacct"));
  ASSERT_NE(state.v2(), nullptr);
  EXPECT_EQ(state.v2()->own_dir, "/sys/fs/cgroup/unified");
  EXPECT_EQ(state.v1_of("pids"), nullptr);
}

TEST(Cgroups, AMountOfASubtreeShowsGroupsBelowItsRootOnly) {
  const std::string_view mounts =
      "30 1 0:25 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw,nsdelegate\n";
  EXPECT_EQ(parse_cgroups(mounts, "0::/docker/abc/in\n").v2()->own_dir, "/sys/fs/cgroup/in");
  EXPECT_EQ(parse_cgroups(mounts, "0::/docker/abc\n").v2()->own_dir, "/sys/fs/cgroup");
  EXPECT_EQ(parse_cgroups(mounts, "0::/docker/abcdef\n").v2()->own_dir, "");
}

TEST(Cgroups, AGroupAboveTheCgroupNamespaceIsNotVisible) {
  const std::string_view mounts = "30 1 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
  EXPECT_EQ(parse_cgroups(mounts, "0::/../other\n").v2()->own_dir, "");
}

TEST(Cgroups, AnEscapedMountPointIsReadAsItsBytes) {
  const std::string_view mounts = "30 1 0:25 / /mnt/my\\040cgroups rw - cgroup2 cgroup rw\n";
  EXPECT_EQ(parse_cgroups(mounts, "0::/x\n").v2()->own_dir, "/mnt/my cgroups/x");
}

TEST(Cgroups, LinesThatMakeNoSenseAreNoHierarchies) {
  EXPECT_TRUE(parse_cgroups("30 1 0:25\n- - -\n\n30 1 0:25 / /x rw - cgroup2\n", "0::/\n")
                  .hierarchies.empty());
  EXPECT_TRUE(parse_cgroups(kHybridMounts, "nonsense\n:\n::\n").hierarchies.size() <= 1);
}

TEST(Cgroups, AKeyedValueIsThatOfTheWholeKey) {
  const std::string_view events = "oom 3\noom_kill 12\noom_group_kill 1\n";
  EXPECT_EQ(keyed_value(events, "oom_kill"), 12U);
  EXPECT_EQ(keyed_value(events, "oom"), 3U);
  EXPECT_EQ(keyed_value(events, "max"), 0U);
}

}  // namespace
}  // namespace ward::sys
