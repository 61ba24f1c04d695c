// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/tree_walk.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/needs.h"
#include "support/temp_dir.h"

namespace ward::confine {
namespace {

policy::GlobSet set_of(const std::vector<std::string>& patterns) {
  std::vector<policy::Glob> globs;
  for (const std::string& pattern : patterns) {
    auto glob = policy::Glob::compile(pattern);
    if (!glob) throw std::runtime_error(glob.error().message());
    globs.push_back(std::move(*glob));
  }
  return *policy::GlobSet::compile(std::move(globs));
}

class TreeWalk : public ::testing::Test {
 protected:
  WalkResult walk() {
    request_.globs = &globs_;
    auto result = walk_tree(request_);
    if (!result) throw std::runtime_error(result.error().describe());
    return std::move(*result);
  }
  void globs(const std::vector<std::string>& below_root) {
    std::vector<std::string> patterns;
    for (const std::string& pattern : below_root) patterns.push_back(root_.path() + pattern);
    globs_ = set_of(patterns);
  }
  // Paths below the root folder of the test.
  std::vector<std::string> matched() {
    std::vector<std::string> paths;
    for (const GlobMatch& match : walk().matches)
      paths.push_back(match.path.substr(root_.path().size()));
    return paths;
  }

  test::TempDir root_;
  policy::GlobSet globs_;
  WalkRequest request_{.roots = {{root_.path(), {}}}};
};

using Paths = std::vector<std::string>;

TEST_F(TreeWalk, FindsWhatSeveralPatternsMatchInOnePass) {
  root_.write("a/.env", "");
  root_.write("a/b/.env", "");
  root_.write("a/b/key.pem", "");
  root_.write("a/b/other", "");
  globs({"/**/.env", "/**/*.pem", "/a/b/*"});
  WalkResult result = walk();
  std::vector<std::pair<std::string, std::uint32_t>> found;
  for (const GlobMatch& match : result.matches)
    found.emplace_back(match.path.substr(root_.path().size()), match.glob);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, std::uint32_t>>{{"/a/.env", 0},
                                                                       {"/a/b/.env", 0},
                                                                       {"/a/b/.env", 2},
                                                                       {"/a/b/key.pem", 1},
                                                                       {"/a/b/key.pem", 2},
                                                                       {"/a/b/other", 2}}));
  EXPECT_EQ(result.stats.folders_read, 3U);
}

TEST_F(TreeWalk, ReportsTheObjectItsKindAndItsLinks) {
  std::string file = root_.write("x/.env", "");
  ASSERT_EQ(::link(file.c_str(), (root_ / "x/other").c_str()), 0);
  root_.make_dir("y/.env");
  root_.make_dir("z");
  ASSERT_EQ(::symlink("/nowhere", (root_ / "z/.env").c_str()), 0);
  globs({"/**/.env"});
  WalkResult result = walk();
  ASSERT_EQ(result.matches.size(), 3U);
  EXPECT_EQ(result.matches[0].object, sys::object_id(*sys::stat_at(AT_FDCWD, file)));
  EXPECT_EQ(result.matches[0].links, 2U);
  EXPECT_FALSE(result.matches[0].directory);
  EXPECT_TRUE(result.matches[1].directory);
  EXPECT_TRUE(result.matches[2].symlink);
}

TEST_F(TreeWalk, DoesNotEnterAMatchedFolderUnlessAsked) {
  root_.write("secrets/.env", "");
  globs({"/**/secrets", "/**/.env"});
  EXPECT_EQ(matched(), (Paths{"/secrets"}));
  request_.at_match = {AtMatch::descend, AtMatch::stop};
  EXPECT_EQ(matched(), (Paths{"/secrets", "/secrets/.env"}));
}

TEST_F(TreeWalk, DoesNotFollowSymbolicLinks) {
  root_.write("real/.env", "");
  ASSERT_EQ(::symlink("real", (root_ / "link").c_str()), 0);
  ASSERT_EQ(::symlink(".", (root_ / "loop").c_str()), 0);
  globs({"/**/.env"});
  EXPECT_EQ(matched(), (Paths{"/real/.env"}));
}

TEST_F(TreeWalk, PrunedFoldersAreNotEnteredButRootsBelowThemAre) {
  root_.write("hidden/a/.env", "");
  root_.write("hidden/open/.env", "");
  root_.write("seen/.env", "");
  globs({"/**/.env"});
  request_.prune = {root_ / "hidden"};
  EXPECT_EQ(matched(), (Paths{"/seen/.env"}));
  request_.roots.push_back({root_ / "hidden/open", {}});
  EXPECT_EQ(matched(), (Paths{"/hidden/open/.env", "/seen/.env"}));
}

TEST_F(TreeWalk, NestedAndRepeatedRootsAreWalkedOnce) {
  root_.write("a/b/.env", "");
  globs({"/**/.env"});
  request_.roots = {{root_ / "a/b", {}}, {root_.path(), {}}, {root_ / "a", {}}, {root_.path(), {}}};
  WalkResult result = walk();
  EXPECT_EQ(result.matches.size(), 1U);
  EXPECT_EQ(result.stats.folders_read, 3U);
}

TEST_F(TreeWalk, GitEntriesAreReportedWhereARootAsksForThem) {
  root_.make_dir("work/.git");
  root_.make_dir("work/sub/nested/.git");
  root_.write("work/tree/.git", "gitdir: elsewhere");
  root_.make_dir("other/.git");
  request_.roots = {{root_.path(), {}}, {root_ / "work", {.git = true}}};
  WalkResult result = walk();
  using Type = GitEntry::Type;
  EXPECT_EQ(result.git, (std::vector<GitEntry>{{root_ / "work/.git", Type::directory},
                                               {root_ / "work/sub/nested/.git", Type::directory},
                                               {root_ / "work/tree/.git", Type::file}}));
}

TEST_F(TreeWalk, SocketsAreReportedWhereARootAsksForThem) {
  root_.make_dir("work/run");
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::string path = root_ / "work/run/s";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(walk().sockets.empty());
  request_.roots = {{root_ / "work", {.sockets = true}}};
  EXPECT_EQ(walk().sockets, (Paths{path}));
}

TEST_F(TreeWalk, FindsTheOtherNamesOfAFile) {
  std::string file = root_.write("x/.env", "");
  root_.make_dir("deep/er");
  ASSERT_EQ(::link(file.c_str(), (root_ / "deep/er/harmless.txt").c_str()), 0);
  sys::ObjectId object = sys::object_id(*sys::stat_at(AT_FDCWD, file));
  request_.aliases_of = {object};
  EXPECT_EQ(walk().aliases,
            (std::vector<Alias>{{root_ / "deep/er/harmless.txt", object}, {file, object}}));
}

TEST_F(TreeWalk, SkipsWhatNoPatternCanReach) {
  root_.write("a/b/c/d/e/x", "");
  root_.write("wanted/.env", "");
  globs({"/wanted/*"});
  EXPECT_EQ(matched(), (Paths{"/wanted/.env"}));
  EXPECT_EQ(walk().stats.folders_read, 2U);
}

TEST_F(TreeWalk, TheRootItselfCanMatch) {
  root_.make_dir("a");
  globs_ = set_of({root_.path()});
  WalkResult result = walk();
  ASSERT_EQ(result.matches.size(), 1U);
  EXPECT_EQ(result.matches[0].path, root_.path());
  EXPECT_TRUE(result.matches[0].directory);
}

TEST_F(TreeWalk, AMissingRootIsReportedAndNoError) {
  root_.write(".env", "");
  globs({"/**/.env"});
  request_.roots.push_back({root_ / "none", {}});
  request_.roots.push_back({"/no/such", {}});
  WalkResult result = walk();
  EXPECT_EQ(result.missing_roots, (Paths{"/no/such", root_ / "none"}));
  EXPECT_EQ(result.matches.size(), 1U);
}

TEST_F(TreeWalk, KernelFileSystemsAreNotEntered) {
  request_.roots = {{"/proc", {}}, {"/sys", {}}};
  globs_ = set_of({"/**/.env"});
  WalkResult result = walk();
  EXPECT_EQ(result.kernel_trees, (Paths{"/proc", "/sys"}));
  EXPECT_EQ(result.stats.folders_read, 0U);
}

TEST_F(TreeWalk, OverTheBoundOfEntriesItRefusesInsteadOfAnsweringInPart) {
  for (int i = 0; i < 20; ++i) root_.write("f" + std::to_string(i), "");
  globs({"/**/.env"});
  request_.globs = &globs_;
  request_.max_entries = 10;
  auto result = walk_tree(request_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::exhausted);
  EXPECT_NE(result.error().describe().find(root_.path()), std::string::npos);
}

TEST_F(TreeWalk, OverTheBoundOfDepthItRefuses) {
  // Made from inside, as a sandboxed program would, since the whole path is too long for a call.
  UniqueFd at = std::move(*sys::open_path(root_.path(), O_RDONLY | O_DIRECTORY));
  const std::string name(100, 'd');
  for (std::size_t i = 0; i <= kMaxWalkDepth; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at = std::move(*sys::open_at(at.get(), name, O_RDONLY | O_DIRECTORY));
  }
  globs({"/**/.env"});
  request_.globs = &globs_;
  auto result = walk_tree(request_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::exhausted);
}

TEST_F(TreeWalk, FindsFilesBelowPathsLongerThanOneCallTakes) {
  UniqueFd at = std::move(*sys::open_path(root_.path(), O_RDONLY | O_DIRECTORY));
  const std::string name(200, 'd');
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at = std::move(*sys::open_at(at.get(), name, O_RDONLY | O_DIRECTORY));
  }
  ASSERT_TRUE(sys::open_at(at.get(), ".env", O_WRONLY | O_CREAT, 0600));
  globs({"/**/.env"});
  WalkResult result = walk();
  ASSERT_EQ(result.matches.size(), 1U);
  EXPECT_GT(result.matches[0].path.size(), 4096U);
}

TEST_F(TreeWalk, UnreadableFoldersAreReportedWithWhoCouldOpenThem) {
  NEEDS(ordinary_user);
  root_.write("closed/.env", "");
  root_.write("blind/.env", "");
  root_.write("list-only/.env", "");
  root_.make_dir("list-only/sub");
  ASSERT_EQ(::chmod((root_ / "closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod((root_ / "blind").c_str(), 0300), 0);
  ASSERT_EQ(::chmod((root_ / "list-only").c_str(), 0400), 0);
  globs({"/**/.env"});
  WalkResult result = walk();
  for (const char* name : {"closed", "blind", "list-only"}) ::chmod((root_ / name).c_str(), 0700);
  EXPECT_TRUE(result.matches.empty());
  EXPECT_EQ(result.unreadable,
            (std::vector<Unreadable>{{root_ / "blind", true, true, false},
                                     {root_ / "closed", true, false, false},
                                     {root_ / "list-only", true, false, false}}));
}

TEST(TreeWalkRequest, RelativeRootsAreRefused) {
  EXPECT_FALSE(walk_tree({.roots = {{"a", {}}}}));
  EXPECT_FALSE(walk_tree({.roots = {{"", {}}}}));
}

}  // namespace
}  // namespace ward::confine
