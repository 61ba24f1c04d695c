// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/git_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ward::confine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GitConfig, TakesTheKeysThatGitWouldTake) {
  GitConfig config = parse_git_config(
      "# comment\n[Core] bare = false\n\tWorkTree = ../../x ; comment\n\thookspath=\"a b\"/c\n"
      "[include]\n\tpath = one\n[includeIf \"gitdir:~/w]/\"]\n\tpath = two\\\n three\n");
  EXPECT_EQ(config.worktree, "../../x");
  EXPECT_THAT(config.hook_paths, ElementsAre("a b/c"));
  EXPECT_THAT(config.includes, ElementsAre("one", "two three"));
}

TEST(GitConfig, AValueOfAnotherSectionIsNotTaken) {
  GitConfig config = parse_git_config(
      "[core \"x\"]\n\tworktree = /a\n[cores]\n\thooksPath = /b\n[remote \"r\"]\n\tpath = /c\n");
  EXPECT_EQ(config.worktree, "");
  EXPECT_THAT(config.hook_paths, IsEmpty());
  EXPECT_THAT(config.includes, IsEmpty());
}

TEST(GitConfig, AByteOrderMarkHidesNothing) {
  EXPECT_THAT(parse_git_config("\xEF\xBB\xBF[core]\nhooksPath = x\n").hook_paths, ElementsAre("x"));
}

TEST(GitConfig, TheLastWorktreeCounts) {
  EXPECT_EQ(parse_git_config("[core]\nworktree=a\n[core]\nworktree=b").worktree, "b");
}

TEST(GitConfig, TextThatEndsEarlyIsNoHarm) {
  for (std::string_view text :
       {"[", "[core", "[core \"", "[core]\nworktree", "[core]\nworktree=\"a",
        "[core]\nworktree=a\\", "\\", "=", "[core]\nhooksPath = \\\r"})
    EXPECT_THAT(parse_git_config(text).includes, IsEmpty()) << text;
}

}  // namespace
}  // namespace ward::confine
