// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ward::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class RunReportTest : public testing::Test {
 protected:
  RunReportTest() {
    report_.policy = &policy_;
    report_.result = &result_;
    result_.outcome = Exited{0};
  }
  void deny(const std::string& target, bool exact) {
    confine::Denial denial;
    denial.target = target;
    denial.rule = "denyRead x";
    denial.exact = exact;
    result_.denials.push_back(denial);
  }
  std::string shown() const { return for_terminal(report_); }
  static long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

  policy::Loaded policy_;
  process::RunResult result_;
  RunReport report_;
};

TEST_F(RunReportTest, ACleanSuccessPrintsNothing) { EXPECT_EQ(shown(), ""); }

TEST_F(RunReportTest, ManyDenialsAreCutAndCounted) {
  for (int i = 0; i < 12; ++i) deny("/f" + std::to_string(i), true);
  result_.denials_dropped = 5;
  EXPECT_EQ(lines(shown()), 11);
  EXPECT_THAT(shown(), HasSubstr("ward: denied: read /f9: denyRead x\n"));
  EXPECT_THAT(shown(), HasSubstr("ward: and 7 more denials (see --result)\n"));
  EXPECT_THAT(shown(), Not(HasSubstr("--trace")));
}

TEST_F(RunReportTest, AGuessSaysSoAndHowToKnow) {
  deny("/f", false);
  EXPECT_EQ(shown(),
            "ward: probably denied: read /f: denyRead x\n"
            "ward: run it again with --trace to know exactly\n");
}

TEST_F(RunReportTest, NamesFromInsideAreEscaped) {
  deny("/\x1b[2J\nward: all is well", true);
  process::Leftovers left;
  left.found.push_back({"/\x1b[31mx", "a hook that git runs"});
  result_.leftovers = left;
  EXPECT_EQ(lines(shown()), 2);
  EXPECT_THAT(shown(), Not(HasSubstr("\x1b")));
}

TEST_F(RunReportTest, ARemedyOfSeveralLinesIsPrintedLineByLine) {
  Error error = Error(ErrorKind::denied, "no namespaces").with_remedy("do this:\n  a\x1b\nor that");
  EXPECT_EQ(for_terminal(error), "ward: no namespaces\n  do this:\n    a\\u{1b}\n  or that\n");
}

TEST_F(RunReportTest, TheResultHoldsAnyBytes) {
  deny("/\xff\xfe", true);
  EXPECT_THAT(to_json(report_), HasSubstr("\"complete\": false"));
}

}  // namespace
}  // namespace ward::cli
