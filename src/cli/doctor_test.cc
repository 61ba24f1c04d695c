// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ward::cli {
namespace {

using confine::Examination;
using confine::Finding;
using confine::LayerExamination;
using ::testing::HasSubstr;
using ::testing::Not;

Examination healthy_machine() {
  Examination examination;
  LayerExamination process{"process", LayerExamination::State::works, {}};
  process.findings.push_back({.name = "pid_namespace",
                              .purpose = "hides other processes",
                              .weight = Finding::Weight::required,
                              .available = true,
                              .probe = "unshare(CLONE_NEWPID), then fork",
                              .cause = "",
                              .remedy = ""});
  examination.layers.push_back(process);
  examination.layers.push_back({"microvm", LayerExamination::State::not_in_this_version, {}});
  return examination;
}

TEST(Doctor, AHealthyMachineReadsAsATable) {
  EXPECT_EQ(doctor_text(healthy_machine(), Colour::none),
            "process    works\n"
            "  ok      pid_namespace           hides other processes\n"
            "          probe   unshare(CLONE_NEWPID), then fork\n"
            "microvm    not in this version\n"
            "limits\n"
            "self-test  passed\n");
}

TEST(Doctor, WhatIsMissingComesWithItsCauseAndItsRemedyLineByLine) {
  Examination examination = healthy_machine();
  Finding& finding = examination.layers[0].findings[0];
  finding.available = false;
  finding.cause = "AppArmor";
  finding.remedy = "write these lines:\n  profile ward {\n  }";
  examination.layers[0].state = LayerExamination::State::unavailable;
  EXPECT_FALSE(examination.healthy());
  const std::string text = doctor_text(examination, Colour::none);
  EXPECT_THAT(text, HasSubstr("process    unavailable\n"));
  EXPECT_THAT(text, HasSubstr("  MISSING pid_namespace "));
  EXPECT_THAT(text, HasSubstr("          cause   AppArmor\n"));
  EXPECT_THAT(text, HasSubstr("          remedy  write these lines:\n"
                              "                    profile ward {\n"));
}

TEST(Doctor, AFailedSelfTestIsNotHealthy) {
  Examination examination = healthy_machine();
  EXPECT_TRUE(examination.healthy());
  examination.self_test = Error(ErrorKind::denied, "a forbidden write worked");
  EXPECT_FALSE(examination.healthy());
  EXPECT_THAT(doctor_text(examination, Colour::none),
              HasSubstr("self-test  FAILED\n          cause   a forbidden write worked\n"));
}

TEST(Doctor, ColourIsForTerminalsAndUntrustedTextIsEscaped) {
  Examination examination = healthy_machine();
  examination.removed.emplace_back("/sys/fs/cgroup/ward-\x1b[2Jx");
  const std::string plain = doctor_text(examination, Colour::none);
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(doctor_text(examination, Colour::terminal), HasSubstr("\x1b[32mok"));
  EXPECT_THAT(doctor_text(examination, Colour::terminal), Not(HasSubstr("\x1b[2J")));
}

TEST(Doctor, JsonSaysTheSame) {
  Examination examination = healthy_machine();
  EXPECT_EQ(doctor_json(examination),
            R"({"healthy":true,"layers":[{"findings":[{"available":true,"name":"pid_namespace",)"
            R"("probe":"unshare(CLONE_NEWPID), then fork","purpose":"hides other processes",)"
            R"("required":true}],"layer":"process","state":"works"},{"findings":[],)"
            R"("layer":"microvm","state":"not in this version"}],"limits":[],"removed":[],)"
            R"("selfTest":{"passed":true},"version":1})");
}

TEST(Doctor, AnUnknownArgumentIsAMalformedCommandLine) {
  const std::vector<std::string> args = {"--yaml"};
  bool ran = false;
  EXPECT_EQ(doctor(args,
                   [&ran]() -> Status {
                     ran = true;
                     return {};
                   }),
            2);
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace ward::cli
