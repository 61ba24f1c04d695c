// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/learned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ward::policy {
namespace {

using testing::HasSubstr;
using testing::Not;

Place place() { return {.workspaces = {"/home/u/project"}, .home = "/home/u"}; }

TEST(Learned, TheDocumentParsesWhateverTheNames) {
  Observed observed;
  observed.profile = "read-only";
  observed.outcome = "exited(0)";
  observed.written = {{"/home/u/project", 1},   {"/home/u/a: b #c", 2}, {"/home/u/st*r", 1},
                      {"/home/u/new\nline", 1}, {"/home/u/\xff", 1},    {"/srv/data", 3}};
  observed.denied = {"read /home/u/.ssh\nversion: 2: rule"};
  observed.sockets = {"/run/some.sock"};
  const std::string text = learned_policy(observed, place());
  const Result<Policy> parsed = load_text("learned.yaml", text, place());
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe() << "\n" << text;
  EXPECT_THAT(text, HasSubstr("- .  # 1 name\n"));
  EXPECT_THAT(text, HasSubstr("{path: \"~/st*r\", literal: true}"));
  EXPECT_THAT(text, HasSubstr("cannot be written in a policy: /home/u/\\xff"));
  EXPECT_EQ(parsed->network.unix_sockets.size(), 1U);
}

TEST(Learned, AnEntryTakesInWhatLiesBelowIt) {
  Observed observed;
  observed.profile = "read-only";
  observed.written = {{"/home/u/x", 1}, {"/home/u/x/y", 4}, {"/home/u/xy", 2}};
  const std::string text = learned_policy(observed, place());
  EXPECT_THAT(text, HasSubstr("- ~/x  # 5 names\n"));
  EXPECT_THAT(text, HasSubstr("- ~/xy  # 2 names\n"));
  EXPECT_THAT(text, Not(HasSubstr("~/x/y")));
}

TEST(Learned, HomeAndWhatHoldsItAreTooWide) {
  EXPECT_FALSE(narrow_enough("/", place()));
  EXPECT_FALSE(narrow_enough("/home", place()));
  EXPECT_FALSE(narrow_enough("/home/u", place()));
  EXPECT_TRUE(narrow_enough("/home/u/project", place()));
}

}  // namespace
}  // namespace ward::policy
