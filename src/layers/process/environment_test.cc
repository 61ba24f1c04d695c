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

bool nothing_exists(std::string_view) { return false; }
bool all_exists(std::string_view) { return true; }

TEST(CommandEnvironment, ACacheThatIsAbsentIsMovedIntoThePrivateFolder) {
  EXPECT_THAT(command_environment({}, kCaller, nothing_exists), Contains("GOCACHE=/tmp/go-build"));
  EXPECT_THAT(command_environment({}, kCaller, all_exists),
              Not(Contains(testing::StartsWith("GOCACHE="))));
  policy::Environment own;
  own.set["GOCACHE"] = "/elsewhere";
  EXPECT_THAT(command_environment(own, kCaller, nothing_exists), Contains("GOCACHE=/elsewhere"));
}

TEST(CommandEnvironment, AnOptionForACacheJoinsTheOthersOfItsVariable) {
  constexpr const char* with_options[] = {"HOME=/home/u", "MAVEN_OPTS=-Xmx1g", nullptr};
  EXPECT_THAT(command_environment({}, with_options, nothing_exists),
              Contains("MAVEN_OPTS=-Xmx1g -Dmaven.repo.local=/tmp/m2-repository"));
  constexpr const char* own_place[] = {"HOME=/home/u", "MAVEN_OPTS=-Dmaven.repo.local=/r", nullptr};
  EXPECT_THAT(command_environment({}, own_place, nothing_exists),
              Contains("MAVEN_OPTS=-Dmaven.repo.local=/r"));
}

TEST(CommandEnvironment, ACacheStaysWhereItsOlderPlaceOrAnotherVariableSaysIt) {
  auto old_ccache = [](std::string_view path) { return path == ".ccache"; };
  EXPECT_THAT(command_environment({}, kCaller, old_ccache),
              Not(Contains(testing::StartsWith("CCACHE_DIR="))));
  constexpr const char* with_gopath[] = {"HOME=/home/u", "GOPATH=/home/u/g", nullptr};
  EXPECT_THAT(command_environment({}, with_gopath, nothing_exists),
              Not(Contains(testing::StartsWith("GOMODCACHE="))));
}

TEST(CommandEnvironment, CorePassesWhoAndWhereTheUserIsAndNoSecret) {
  auto lines = command_environment({}, kCaller, all_exists);
  EXPECT_THAT(lines, Contains("HOME=/home/u"));
  EXPECT_THAT(lines, Contains("LC_ALL=C"));
  EXPECT_THAT(lines, Not(Contains("SECRET_API_KEY=x")));
  EXPECT_THAT(lines, Not(Contains("EXTRA=1")));
}

TEST(CommandEnvironment, TemporaryFoldersAreThePrivateOnes) {
  policy::Environment all;
  all.inherit = policy::EnvInherit::all;
  all.set["TMPDIR"] = "/elsewhere";
  EXPECT_THAT(command_environment(all, kCaller, all_exists), Contains("TMPDIR=/tmp"));
  EXPECT_THAT(command_environment(all, kCaller, all_exists), Contains("SECRET_API_KEY=x"));
}

TEST(CommandEnvironment, ListedAndSetVariablesPassWhateverIsInherited) {
  policy::Environment policy;
  policy.inherit = policy::EnvInherit::none;
  policy.allow = {"EXTRA"};
  policy.set["CI"] = "1";
  auto lines = command_environment(policy, kCaller, all_exists);
  EXPECT_THAT(lines, Contains("EXTRA=1"));
  EXPECT_THAT(lines, Contains("CI=1"));
  EXPECT_THAT(lines, Not(Contains("HOME=/home/u")));
}

TEST(CommandEnvironment, ACacheIsUsedWhereItIsThereAndTheRulesLetItBeWritten) {
  policy::Filesystem rules;
  rules.rules.push_back({policy::PathList::allow_write, "/proc", true, "/proc", {}});
  rules.rules.push_back({policy::PathList::deny_write, "/proc/sys", true, "/proc/sys", {}});
  const std::string home = "/proc";
  auto usable = writable_below(home, rules);
  EXPECT_TRUE(usable("self"));
  EXPECT_FALSE(usable("absent"));
  EXPECT_FALSE(usable("sys"));
}

TEST(CommandEnvironment, ThereIsAlwaysAPath) {
  policy::Environment none;
  none.inherit = policy::EnvInherit::none;
  EXPECT_THAT(command_environment(none, kCaller, all_exists),
              Contains(testing::StartsWith("PATH=/")));
}

}  // namespace
}  // namespace ward::process
