// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/home_names.h"

#include <gtest/gtest.h>

#include "policy/load.h"
#include "policy/path_decision.h"

namespace ward::policy {
namespace {

HomeNames names() {
  HomeNames names;
  names.add_folder("");
  names.add_folder(".config");
  for (const char* name : {".config", ".ssh", ".config/git"}) names.add_name(name);
  return names;
}

TEST(HomeNames, OnlyWhatWasLookedForAndIsNotThereIsAbsent) {
  EXPECT_TRUE(names().may_exist(".ssh/id"));
  EXPECT_FALSE(names().may_exist(".aws"));
  EXPECT_FALSE(names().may_exist(".aws/credentials"));
  EXPECT_TRUE(names().may_exist(".config/git/credentials"));
  EXPECT_FALSE(names().may_exist(".config/gh"));
  EXPECT_TRUE(HomeNames().may_exist(".aws"));
}

Policy policy_of(const std::string& filesystem, bool known) {
  Place place;
  place.workspaces = {"/home/u/proj"};
  place.home = "/home/u";
  if (known) place.home_names = names();
  return *load_text("w.yaml", "version: 1\nextends: workspace\n" + filesystem, place);
}

TEST(HomeNames, ALeftOutRuleChangesNoVerdictOfAHiddenHome) {
  Policy full = policy_of("", false), short_one = policy_of("", true);
  EXPECT_LT(short_one.filesystem.rules.size() * 2, full.filesystem.rules.size());
  PathDecider all(full.filesystem), some(short_one.filesystem);
  for (const char* path : {"/home/u/.aws/x", "/home/u/.ssh/id", "/home/u/.ssh/known_hosts",
                           "/home/u/.config/gh/x", "/home/u/.config/git/config", "/home/u/notes"}) {
    EXPECT_EQ(all.decide(path).read.allowed, some.decide(path).read.allowed) << path;
    EXPECT_EQ(all.decide(path).write.allowed, some.decide(path).write.allowed) << path;
  }
}

// ~/.config/git is not there: it is re-opened, and the credentials below it are not.
TEST(HomeNames, WhatIsDeniedBelowAnAbsentReopenedNameStaysDenied) {
  Place place;
  place.workspaces = {"/home/u/proj"};
  place.home = "/home/u";
  place.home_names.emplace().add_folder("");
  place.home_names->add_folder(".config");
  place.home_names->add_name(".config");
  const Policy policy = *load_text("w.yaml", "version: 1\nextends: workspace\n", place);
  PathDecider decider(policy.filesystem);
  EXPECT_TRUE(decider.decide("/home/u/.config/git/config").read.allowed);
  EXPECT_FALSE(decider.decide("/home/u/.config/git/credentials").read.allowed);
}

TEST(HomeNames, WhereTheHomeIsReopenedEveryRuleStays) {
  for (const char* reopened :
       {"allowRead: [\"~\"]", "allowRead: [/]", "allowRead: [\"~/*\"]", "allowRead: [/home]"}) {
    Policy policy = policy_of(std::string("filesystem: {") + reopened + "}\n", true);
    EXPECT_FALSE(PathDecider(policy.filesystem).decide("/home/u/.aws/x").read.allowed) << reopened;
  }
}

}  // namespace
}  // namespace ward::policy
