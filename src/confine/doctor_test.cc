// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "confine/resource_limits.h"

namespace ward::confine {
namespace {

Status pass() { return {}; }

TEST(Examine, EachLayerIsNamedAndTheProcessLayersFindingsHaveProbes) {
  const Examination examination = examine(pass, "/");
  std::vector<std::string> names;
  for (const LayerExamination& layer : examination.layers) names.push_back(layer.layer);
  EXPECT_EQ(names,
            (std::vector<std::string>{"isolate", "process", "container", "microvm", "desktop"}));
  for (const LayerExamination& layer : examination.layers) {
    EXPECT_EQ(layer.findings.empty(), layer.layer != "process");
    for (const Finding& finding : layer.findings) EXPECT_FALSE(finding.probe.empty());
  }
}

TEST(Examine, ALimitIsAvailableExactlyWhereARunCanHaveIt) {
  const Examination examination = examine(pass, "/");
  const auto memory = std::find_if(examination.limits.begin(), examination.limits.end(),
                                   [](const Finding& one) { return one.name == "memory"; });
  ASSERT_NE(memory, examination.limits.end());
  policy::Limits wanted;
  wanted.memory_bytes = 64U << 20U;
  EXPECT_EQ(memory->available,
            ResourceLimits::prepare(wanted, {.run_id = "test", .io_path = "/"}).has_value());
  EXPECT_EQ(memory->available, memory->cause.empty());
}

TEST(Examine, AFailedSelfTestIsKeptWithItsReason) {
  const Examination examination =
      examine([]() -> Status { return fail(ErrorKind::denied, "no"); }, "/");
  ASSERT_TRUE(examination.self_test);
  EXPECT_EQ(examination.self_test->message(), "no");
  EXPECT_FALSE(examination.healthy());
}

}  // namespace
}  // namespace ward::confine
