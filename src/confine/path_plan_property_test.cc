// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The rows of a plan, applied one after the other to a model of mounts, give for every path of
// random trees the verdict that policy::PathDecider gives for the rules.
#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include "confine/path_planner.h"
#include "confine/plan_fixture_test.h"
#include "policy/path_decision.h"

namespace ward::confine {
namespace {

namespace fs = std::filesystem;

class PathPlanProperty : public PlanFixture, public ::testing::WithParamInterface<unsigned> {
 protected:
  PathPlanProperty() : random(GetParam()) {
    host = {};
    grow("", 2);
  }
  static constexpr int kPolicies = 150;

  std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  }

  void grow(const std::string& folder, int depth) {
    static constexpr std::array<std::string_view, 6> kNames = {"a", "b", "a-b", ".env", "[c]", "d"};
    for (std::string_view name : kNames) {
      std::string path = folder.empty() ? std::string(name) : folder + "/" + std::string(name);
      const bool folder_always = depth > 0 && name.size() == 1 && name != "d";
      if (!folder_always && pick(3) == 0) continue;
      if (folder_always || (depth > 0 && pick(3) == 0)) {
        tree.make_dir(path);
        paths.push_back(path);
        grow(path, depth - 1);
      } else {
        tree.write(path, "x");
        paths.push_back(path);
      }
    }
  }

  std::string random_path() {
    if (pick(5) != 0) return paths[pick(paths.size())];
    return paths[pick(paths.size())] + (pick(2) == 0 ? "/a" : "/new/b");
  }

  void random_policy() {
    filesystem = {};
    static constexpr std::array<std::string_view, 7> kGlobs = {
        "/**/.env", "/*/b", "/a/**/a", "/**/a-?", "/b/*/[ab]", "/**/[[]c]", "/*/*/d"};
    if (pick(2) == 0) allow_write(tree.path());
    const std::size_t count = 1 + pick(12);
    for (std::size_t i = 0; i < count; ++i) {
      auto list = static_cast<policy::PathList>(pick(4));
      auto scope = static_cast<policy::Scope>(pick(3));
      if (pick(3) == 0) {
        rule(list, tree.path() + std::string(kGlobs[pick(kGlobs.size())]), scope).literal = false;
      } else {
        rule(list, random_path(), scope).literal = true;
      }
    }
  }

  // What the mounts make of a path: the innermost of them counts, and in a skeleton only what a
  // later mount shows.
  PathState state_of(const PathPlan& of, const std::string& path) const {
    const PathRow* inner = nullptr;
    for (const PathRow& row : of.rows)
      if (lies_in(path, row.path)) inner = &row;
    if (inner == nullptr) return PathState::read_only;
    switch (inner->action) {
      case Action::writable:
      case Action::pin: return PathState::writable;
      case Action::read_only: return PathState::read_only;
      case Action::hidden: return PathState::hidden;
      case Action::skeleton: break;
    }
    if (path == inner->path) return PathState::hidden;
    std::size_t begin = inner->path.size() + (inner->path == "/" ? 0 : 1);
    std::string name = path.substr(begin, path.find('/', begin) - begin);
    auto stub = std::find_if(inner->stubs.begin(), inner->stubs.end(),
                             [&](const Stub& s) { return s.name == name; });
    EXPECT_NE(stub, inner->stubs.end()) << path << " is absent from " << inner->path;
    EXPECT_FALSE(stub != inner->stubs.end() && stub->revealed)
        << path << " has no row, but a place in " << inner->path;
    return PathState::hidden;
  }

  std::mt19937 random;
  std::vector<std::string> paths;
};

TEST_P(PathPlanProperty, RowsGiveTheVerdictsOfTheRules) {
  for (int round = 0; round < kPolicies; ++round) {
    random_policy();
    if (pick(3) == 0) filesystem.default_access = policy::DefaultAccess::deny;
    const PathPlan made = plan();
    // The rules that the plan itself adds for programs to start do not concern this tree.
    policy::PathDecider decider(filesystem);
    for (const std::string& name : paths) {
      std::string path = at(name);
      policy::PathVerdict expected = decider.decide(path);
      PathState state = state_of(made, path);
      ASSERT_EQ(state != PathState::hidden, expected.read.allowed) << path << "\n" << made.text();
      ASSERT_EQ(state == PathState::writable, expected.write.allowed) << path << "\n"
                                                                      << made.text();
      Access access = made.rules->decide(path);
      ASSERT_EQ(access.read, expected.read.allowed) << path;
      ASSERT_EQ(access.write, expected.write.allowed) << path;
    }
  }
}

// A literal path that may not be written and is not there cannot come to be: its folder is not
// writable, or the name that it begins with is refused.
TEST_P(PathPlanProperty, AbsentDeniedPathsCannotBeMade) {
  int refusals = 0;
  for (int round = 0; round < kPolicies; ++round) {
    random_policy();
    const PathPlan made = plan();
    policy::PathDecider decider(filesystem);
    for (const policy::PathRule& rule : filesystem.rules) {
      if (!rule.literal || fs::exists(rule.pattern)) continue;
      if (decider.decide(rule.pattern).write.allowed) continue;
      std::string parent(parent_of(rule.pattern)), child = rule.pattern;
      while (!fs::exists(parent)) {
        child = parent;
        parent = parent_of(parent);
      }
      if (!fs::is_directory(parent) || state_of(made, parent) != PathState::writable) continue;
      ++refusals;
      ASSERT_TRUE(std::any_of(
          made.absent.begin(), made.absent.end(),
          [&](const AbsentRow& row) { return join_path(row.parent, row.name) == child; }))
          << rule.pattern << "\n"
          << made.text();
    }
  }
  EXPECT_GT(refusals, 0);
}

// No folder on the way to a denied path can be renamed away: each is mounted or frozen.
TEST_P(PathPlanProperty, TheWayToADeniedPathCannotBeRenamed) {
  int ways = 0;
  for (int round = 0; round < kPolicies; ++round) {
    random_policy();
    const PathPlan made = plan();
    for (const PathRow& row : made.rows) {
      if (row.action == Action::writable || row.rule.find('*') != std::string::npos) continue;
      for (std::string path(parent_of(row.path)); path != "/"; path = parent_of(path)) {
        std::string parent(parent_of(path));
        if (state_of(made, path) != PathState::writable) break;
        if (state_of(made, parent) != PathState::writable) break;
        ++ways;
        bool mounted = std::any_of(made.rows.begin(), made.rows.end(),
                                   [&](const PathRow& other) { return other.path == path; });
        bool frozen = std::any_of(
            made.frozen.begin(), made.frozen.end(),
            [&](const FrozenName& name) { return join_path(name.parent, name.name) == path; });
        ASSERT_TRUE(mounted || frozen) << path << "\n" << made.text();
      }
    }
  }
  EXPECT_GT(ways, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PathPlanProperty, ::testing::Range(1U, 7U));

TEST(PathOrder, PutsEachFolderRightBeforeWhatIsInIt) {
  std::vector<std::string> paths = {"/a-b", "/a/c", "/", "/a", "/a/b/c", "/b", "/a/b", "/a.d"};
  std::sort(paths.begin(), paths.end(),
            [](const auto& a, const auto& b) { return path_before(a, b); });
  EXPECT_THAT(paths,
              ::testing::ElementsAre("/", "/a", "/a/b", "/a/b/c", "/a/c", "/a-b", "/a.d", "/b"));
}

}  // namespace
}  // namespace ward::confine
