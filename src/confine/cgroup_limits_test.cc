// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/cgroup_limits.h"

#include <gtest/gtest.h>

namespace ward::confine {
namespace {

constexpr CgroupLimits kNothing;

CgroupLimits everything() {
  return {
      .memory_bytes = 64U << 20U, .pids = 10, .cpus = 1.5, .io = IoLimit{"254:0", 1048576, 500}};
}

TEST(CgroupLimits, EachLimitOfVersion2IsOneSetting) {
  const std::vector<Setting> expected = {
      {"memory.max", "67108864", Need::must},
      {"memory.swap.max", "0", Need::where_present},
      {"memory.oom.group", "1", Need::must},
      {"pids.max", "11", Need::must},  // with the sandbox's init
      {"cpu.max", "150000 100000", Need::must},
      {"io.max", "254:0 rbps=1048576 wbps=1048576 riops=500 wiops=500", Need::must},
  };
  EXPECT_EQ(settings_v2(everything()), expected);
  EXPECT_TRUE(settings_v2(kNothing).empty());
}

TEST(CgroupLimits, EachLimitOfVersion1GoesToItsHierarchy) {
  const CgroupLimits limits = everything();
  EXPECT_EQ(
      settings_v1(limits, Controller::memory),
      (std::vector<Setting>{{"memory.limit_in_bytes", "67108864", Need::must},
                            {"memory.memsw.limit_in_bytes", "67108864", Need::where_present}}));
  EXPECT_EQ(settings_v1(limits, Controller::cpu),
            (std::vector<Setting>{{"cpu.cfs_period_us", "100000", Need::must},
                                  {"cpu.cfs_quota_us", "150000", Need::must}}));
  EXPECT_EQ(settings_v1(limits, Controller::pids),
            (std::vector<Setting>{{"pids.max", "11", Need::must}}));
  EXPECT_TRUE(settings_v1(kNothing, Controller::memory).empty());
}

TEST(CgroupLimits, AFractionOfACpuBelowTheKernelsLeastIsTheLeast) {
  CgroupLimits limits;
  limits.cpus = 0.001;
  EXPECT_EQ(settings_v2(limits).at(0).text, "1000 100000");
}

TEST(CgroupLimits, MoreProcessesThanAMachineCanHaveAreNoLimit) {
  CgroupLimits limits;
  limits.pids = 4194303;
  EXPECT_EQ(settings_v2(limits).at(0).text, "4194304");
  limits.pids = UINT64_MAX;
  EXPECT_EQ(settings_v2(limits).at(0).text, "max");
}

TEST(CgroupLimits, ADiskLimitNeedsTheMemoryControllerToo) {
  CgroupLimits limits;
  limits.io = IoLimit{"254:0", 1, {}};
  EXPECT_EQ(controllers_of(limits), (std::vector<Controller>{Controller::memory, Controller::io}));
  EXPECT_TRUE(controllers_of(kNothing).empty());
}

}  // namespace
}  // namespace ward::confine
