// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ward::process {
namespace {

using testing::Contains;
using testing::Not;

constexpr const char* kCaller[] = {
    "HOME=/home/u", "SECRET_API_KEY=x", "LC_ALL=C", "TMPDIR=/gone", "EXTRA=1",
    "=odd",         "noequals",         nullptr};

TEST(CommandEnvironment, CorePassesWhoAndWhereTheUserIsAndNoSecret) {
  auto lines = command_environment({}, kCaller);
  EXPECT_THAT(lines, Contains("HOME=/home/u"));
  EXPECT_THAT(lines, Contains("LC_ALL=C"));
  EXPECT_THAT(lines, Not(Contains("SECRET_API_KEY=x")));
  EXPECT_THAT(lines, Not(Contains("EXTRA=1")));
}

TEST(CommandEnvironment, TemporaryFoldersAreThePrivateOnes) {
  policy::Environment all;
  all.inherit = policy::EnvInherit::all;
  all.set["TMPDIR"] = "/elsewhere";
  EXPECT_THAT(command_environment(all, kCaller), Contains("TMPDIR=/tmp"));
  EXPECT_THAT(command_environment(all, kCaller), Contains("SECRET_API_KEY=x"));
}

TEST(CommandEnvironment, ListedAndSetVariablesPassWhateverIsInherited) {
  policy::Environment policy;
  policy.inherit = policy::EnvInherit::none;
  policy.allow = {"EXTRA"};
  policy.set["CI"] = "1";
  auto lines = command_environment(policy, kCaller);
  EXPECT_THAT(lines, Contains("EXTRA=1"));
  EXPECT_THAT(lines, Contains("CI=1"));
  EXPECT_THAT(lines, Not(Contains("HOME=/home/u")));
}

TEST(CommandEnvironment, ThereIsAlwaysAPath) {
  policy::Environment none;
  none.inherit = policy::EnvInherit::none;
  EXPECT_THAT(command_environment(none, kCaller), Contains(testing::StartsWith("PATH=/")));
}

}  // namespace
}  // namespace ward::process
