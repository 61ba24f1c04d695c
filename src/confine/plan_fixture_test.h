// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanFixture: a small tree of files in a fresh folder, a policy over it, and the plan's text with
// the folder's name replaced, for golden tests. Header of tests only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "confine/path_plan.h"
#include "support/temp_dir.h"

namespace ward::confine {

class PlanFixture : public ::testing::Test {
 protected:
  PlanFixture() {
    host.home = tree.make_dir("home");
    host.workspaces = {tree.make_dir("home/ws")};
    host.cwd = host.workspaces[0];
  }

  std::string at(std::string_view name) const { return tree / name; }
  void link(const std::string& target, std::string_view name) {
    ASSERT_EQ(::symlink(target.c_str(), at(name).c_str()), 0);
  }
  void hard_link(std::string_view from, std::string_view to) {
    ASSERT_EQ(::link(at(from).c_str(), at(to).c_str()), 0);
  }

  policy::PathRule& rule(policy::PathList list, std::string_view name,
                         policy::Scope scope = policy::Scope::user) {
    policy::PathRule added;
    added.list = list;
    added.literal = name.find_first_of("*?[") == std::string_view::npos;
    added.pattern = name.substr(0, 1) == "/" ? std::string(name) : at(name);
    added.written = std::string(name);
    added.origin = {
        .file = "p", .line = static_cast<int>(filesystem.rules.size()) + 1, .scope = scope};
    filesystem.rules.push_back(std::move(added));
    return filesystem.rules.back();
  }
  void allow_write(std::string_view name) { rule(policy::PathList::allow_write, name); }
  void allow_read(std::string_view name) { rule(policy::PathList::allow_read, name); }
  void deny_write(std::string_view name) { rule(policy::PathList::deny_write, name); }
  void deny_read(std::string_view name) { rule(policy::PathList::deny_read, name); }

  PathPlan plan() {
    Result<PathPlan> made = plan_paths(filesystem, host);
    EXPECT_TRUE(made) << (made ? "" : made.error().describe());
    return made ? std::move(*made) : PathPlan{};
  }
  // The error of a plan that is refused.
  std::string refusal() {
    Result<PathPlan> made = plan_paths(filesystem, host);
    EXPECT_FALSE(made);
    return made ? "" : shown(made.error().describe());
  }
  std::string shown(std::string text) const {
    for (std::size_t hit = text.find(tree.path()); hit != std::string::npos;
         hit = text.find(tree.path(), hit))
      text.replace(hit, tree.path().size(), "T");
    return text;
  }
  // The lines of the plan that start with one of the words, without the rule's text.
  std::vector<std::string> lines(const PathPlan& of, const std::vector<std::string>& words) const {
    std::vector<std::string> out;
    std::string text = shown(of.text());
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = text.find('\n', begin);
      std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      for (const std::string& word : words)
        if (line.starts_with(word + " ")) out.push_back(line.substr(0, line.find(" # ")));
    }
    return out;
  }
  std::vector<std::string> rows(const PathPlan& of) const {
    return lines(
        of, {"writable", "read-only", "hidden", "skeleton", "pin", "  opened", "  stub", "  link"});
  }

  test::TempDir tree;
  policy::Filesystem filesystem;
  HostContext host;
};

}  // namespace ward::confine
