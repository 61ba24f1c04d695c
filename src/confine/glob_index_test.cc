// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/glob_index.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "confine/tree_walk.h"
#include "support/needs.h"
#include "support/temp_dir.h"

namespace ward::confine {
namespace {

// A clock far enough ahead that everything made by a test is settled at once, so that the tests
// attack a folder the index believes in and need no waiting.
std::uint64_t offset_ns = 0;
std::uint64_t test_clock() { return sys::file_clock_ns() + offset_ns; }

class WalkIndex : public ::testing::Test {
 protected:
  WalkIndex() {
    offset_ns = 10'000'000'000;
    for (int i = 0; i < 70; ++i) root_.make_dir("d" + std::to_string(i));
    root_.write("d1/.env", "");
    root_.write("d2/sub/x", "");
    auto glob = policy::Glob::compile(policy::escape_glob(root_.path()) + "/**/.env");
    globs_ = *policy::GlobSet::compile({*glob});
    request_.globs = &globs_;
  }
  WalkResult walk() {
    auto result = walk_tree(request_, &cache_);
    if (!result) throw std::runtime_error(result.error().describe());
    return std::move(*result);
  }
  // Fills the index and checks that it is believed.
  void warm() {
    WalkResult first = walk();
    ASSERT_TRUE(first.stats.cache_written) << first.stats.cache_note;
    WalkResult second = walk();
    ASSERT_TRUE(second.stats.cache_used) << second.stats.cache_note;
    ASSERT_EQ(second.stats.folders_read, 0U);
    ASSERT_EQ(second.stats.folders, first.stats.folders);
    ASSERT_EQ(second.matches, first.matches);
  }
  // Paths below the root that the walk with the index finds; a walk without must agree.
  std::vector<std::string> found() {
    WalkResult with = walk();
    auto without = walk_tree(request_);
    EXPECT_TRUE(without);
    EXPECT_EQ(with.matches, without->matches);
    std::vector<std::string> paths;
    for (const GlobMatch& match : with.matches)
      paths.push_back(match.path.substr(root_.path().size()));
    return paths;
  }
  std::string index_file() {
    for (const auto& entry : std::filesystem::directory_iterator(cache_.folder()))
      if (entry.path().filename().string().starts_with("walk-")) return entry.path();
    return "";
  }
  std::string bytes_of(const std::string& path) { return *sys::read_file(path); }
  void overwrite(const std::string& path, std::string_view bytes) {
    auto fd = sys::open_path(path, O_WRONLY | O_TRUNC);
    ASSERT_TRUE(fd);
    ASSERT_TRUE(sys::write_all(fd->get(), bytes));
  }

  test::TempDir root_, home_;
  WalkCache cache_{home_ / "ward"};
  policy::GlobSet globs_;
  WalkRequest request_{.roots = {{root_.path(), {}}}, .clock_ns = test_clock};
};

using Paths = std::vector<std::string>;

TEST_F(WalkIndex, AWarmIndexReadsNoFolder) { warm(); }

// Paths below the root that count as unchanged, of all that the walk saw.
std::vector<std::string> unchanged(const SeenFolders& seen, const std::string& root) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    struct stat now = {};
    if (::lstat(seen.path(i), &now) == 0 && seen.is_unchanged(i, now))
      paths.push_back(std::string(seen.path(i)).substr(root.size()));
  }
  return paths;
}

TEST_F(WalkIndex, TheFoldersOfARootAreListedWithTheIndexAndWithout) {
  request_.roots[0].wants.folders = true;
  WalkResult read = walk();
  WalkResult indexed = walk();
  ASSERT_TRUE(indexed.stats.cache_used);
  EXPECT_EQ(read.folders.size(), 72U);  // the root, d0 to d69, d2/sub
  EXPECT_EQ(indexed.folders.size(), 72U);
  for (const WalkResult* result : {&read, &indexed}) {
    Paths before = unchanged(result->folders, root_.path());
    EXPECT_EQ(before.size(), 72U);
    EXPECT_EQ(before[0], "");
  }
  root_.write("d2/sub/new", "");
  Paths after = unchanged(indexed.folders, root_.path());
  EXPECT_EQ(after.size(), 71U);
  EXPECT_EQ(std::count(after.begin(), after.end(), "/d2/sub"), 0);
}

TEST_F(WalkIndex, AFolderThatChangedAMomentBeforeTheWalkNeverCountsAsUnchanged) {
  request_.roots[0].wants.folders = true;
  offset_ns = 0;
  root_.write("d3/new", "");
  WalkResult result = walk();
  EXPECT_EQ(result.folders.size(), 72U);
  Paths paths = unchanged(result.folders, root_.path());
  EXPECT_EQ(std::count(paths.begin(), paths.end(), "/d3"), 0);
}

TEST_F(WalkIndex, OnlyChangedFoldersAreReadAgain) {
  warm();
  root_.write("d3/new/.env", "");
  EXPECT_EQ(found(), (Paths{"/d1/.env", "/d3/new/.env"}));
  EXPECT_EQ(walk().stats.folders_read, 2U);
}

TEST_F(WalkIndex, AFileCreatedIsFoundThoughTheFoldersTimeIsSetBack) {
  warm();
  std::string folder = root_ / "d5";
  struct stat before = {};
  ASSERT_EQ(::stat(folder.c_str(), &before), 0);
  root_.write("d5/.env", "");
  const struct timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, folder.c_str(), times, 0), 0);
  struct stat after = {};
  ASSERT_EQ(::stat(folder.c_str(), &after), 0);
  ASSERT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);  // the attack did what it could
  EXPECT_EQ(found(), (Paths{"/d1/.env", "/d5/.env"}));
}

TEST_F(WalkIndex, AFileRenamedLinkedOrSymlinkedIntoPlaceIsFound) {
  warm();
  std::string file = root_.write("d6/plain", "");
  ASSERT_EQ(::rename(file.c_str(), (root_ / "d6/.env").c_str()), 0);
  ASSERT_EQ(::link((root_ / "d2/sub/x").c_str(), (root_ / "d7/.env").c_str()), 0);
  ASSERT_EQ(::symlink("../d2/sub/x", (root_ / "d8/.env").c_str()), 0);
  ASSERT_EQ(::mkdir((root_ / "d9/.env").c_str(), 0700), 0);
  EXPECT_EQ(found(), (Paths{"/d1/.env", "/d6/.env", "/d7/.env", "/d8/.env", "/d9/.env"}));
}

TEST_F(WalkIndex, FoldersExchangedOrMovedAreSeenAtTheirNewPlace) {
  root_.write("d10/deep/.env", "");
  root_.make_dir("d11/deep");
  warm();
  ASSERT_EQ(::renameat2(AT_FDCWD, (root_ / "d10/deep").c_str(), AT_FDCWD,
                        (root_ / "d11/deep").c_str(), RENAME_EXCHANGE),
            0);
  EXPECT_EQ(found(), (Paths{"/d1/.env", "/d11/deep/.env"}));
  ASSERT_EQ(::rename((root_ / "d11").c_str(), (root_ / "d2/sub/moved").c_str()), 0);
  EXPECT_EQ(found(), (Paths{"/d1/.env", "/d2/sub/moved/deep/.env"}));
}

TEST_F(WalkIndex, AFolderRemovedAndMadeAgainIsReadAgain) {
  warm();
  ASSERT_EQ(::rmdir((root_ / "d12").c_str()), 0);
  root_.write("d12/.env", "");
  EXPECT_EQ(found(), (Paths{"/d1/.env", "/d12/.env"}));
}

TEST_F(WalkIndex, ASymbolicLinkInPlaceOfAFolderIsNotFollowed) {
  warm();
  ASSERT_EQ(::rename((root_ / "d1").c_str(), (root_ / "d13/real").c_str()), 0);
  ASSERT_EQ(::symlink("d13/real", (root_ / "d1").c_str()), 0);
  EXPECT_EQ(found(), (Paths{"/d13/real/.env"}));
}

TEST_F(WalkIndex, AMatchIsReportedAsItIsNowNotAsItWas) {
  warm();
  ASSERT_EQ(::link((root_ / "d1/.env").c_str(), (root_ / "d14/harmless").c_str()), 0);
  WalkResult result = walk();
  ASSERT_EQ(result.matches.size(), 1U);
  EXPECT_EQ(result.matches[0].links, 2U);
}

// Within one tick of the clock a second change leaves a folder's times as they are (before Linux
// 6.13). With the real clock nothing that fresh is believed.
TEST_F(WalkIndex, ManyChangesWithinOneTickOfTheClockAreAllSeen) {
  offset_ns = 0;
  walk();
  std::mt19937 random{11};
  for (int i = 0; i < 300; ++i) {
    std::string folder = "d" + std::to_string(20 + random() % 40);
    std::string file = root_.write(folder + "/.env", "");
    ASSERT_EQ(found(), (Paths{"/d1/.env", "/" + folder + "/.env"})) << i;
    ASSERT_EQ(::unlink(file.c_str()), 0);
    ASSERT_EQ(found(), (Paths{"/d1/.env"})) << i;
  }
}

TEST_F(WalkIndex, AFreshlyChangedFolderIsNotBelievedUntilTheClockHasMovedOn) {
  offset_ns = 0;
  root_.write("d15/x", "");
  walk();
  EXPECT_GT(walk().stats.folders_read, 0U);
  offset_ns = 60'000'000'000;
  walk();
  EXPECT_EQ(walk().stats.folders_read, 0U);
}

TEST_F(WalkIndex, AClockSetBackMakesTheIndexWorthless) {
  warm();
  offset_ns = 0;
  WalkResult result = walk();
  EXPECT_FALSE(result.stats.cache_used);
  EXPECT_NE(result.stats.cache_note.find("clock"), std::string::npos);
  EXPECT_EQ(result.matches.size(), 1U);
}

TEST_F(WalkIndex, AChangedModeIsLookedAtAgain) {
  NEEDS(ordinary_user);
  warm();
  ASSERT_EQ(::chmod((root_ / "d1").c_str(), 0300), 0);
  WalkResult result = walk();
  ::chmod((root_ / "d1").c_str(), 0700);
  ASSERT_EQ(result.unreadable.size(), 1U);
  EXPECT_EQ(result.unreadable[0].path, root_ / "d1");
  EXPECT_TRUE(result.unreadable[0].searchable);
  EXPECT_EQ(found(), (Paths{"/d1/.env"}));
}

TEST_F(WalkIndex, IsBoundToExactlyOneRequest) {
  warm();
  auto other = policy::Glob::compile(root_.path() + "/**/x");
  globs_ = *policy::GlobSet::compile({*other});
  WalkResult result = walk();
  EXPECT_FALSE(result.stats.cache_used);
  EXPECT_EQ(result.matches.size(), 1U);
  request_.prune = {root_ / "d2"};
  EXPECT_FALSE(walk().stats.cache_used);
  request_.roots[0].wants.git = true;
  EXPECT_FALSE(walk().stats.cache_used);
}

TEST_F(WalkIndex, AnIndexUnderAnotherRequestsNameIsRefused) {
  warm();
  std::string first = index_file(), stolen = bytes_of(first);
  std::filesystem::remove(first);
  auto other = policy::Glob::compile(root_.path() + "/**/x");
  globs_ = *policy::GlobSet::compile({*other});
  warm();
  overwrite(index_file(), stolen);
  WalkResult result = walk();
  EXPECT_FALSE(result.stats.cache_used);
  EXPECT_NE(result.stats.cache_note.find("not authentic"), std::string::npos);
  EXPECT_EQ(result.matches.size(), 1U);
}

TEST_F(WalkIndex, AnyFlippedOrMissingByteMakesItWorthless) {
  warm();
  const std::string file = index_file(), good = bytes_of(file);
  std::mt19937 random{3};
  for (int i = 0; i < 200; ++i) {
    std::string bad = good;
    if (i % 4 == 0)
      bad.resize(random() % good.size());
    else
      bad[random() % bad.size()] ^= static_cast<char>(1U << (random() % 8));
    overwrite(file, bad);
    auto result = walk_tree(request_, &cache_);
    ASSERT_TRUE(result);
    ASSERT_FALSE(result->stats.cache_used);
    ASSERT_EQ(result->matches.size(), 1U);
    ASSERT_FALSE(result->stats.cache_note.empty());
  }
}

TEST_F(WalkIndex, AnIndexMadeWithAnotherKeyIsRefused) {
  warm();
  overwrite(cache_.folder() + "/index.key", std::string(32, 'k'));
  WalkResult result = walk();
  EXPECT_FALSE(result.stats.cache_used);
  EXPECT_EQ(result.matches.size(), 1U);
}

TEST_F(WalkIndex, AFolderOrKeyOpenToOthersIsNotUsed) {
  warm();
  ASSERT_EQ(::chmod((cache_.folder() + "/index.key").c_str(), 0640), 0);
  EXPECT_FALSE(walk().stats.cache_used);
  ASSERT_EQ(::chmod((cache_.folder() + "/index.key").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(cache_.folder().c_str(), 0755), 0);
  WalkResult result = walk();
  EXPECT_FALSE(result.stats.cache_used);
  EXPECT_FALSE(result.stats.cache_written);
  EXPECT_FALSE(cache_.prepare());
}

TEST_F(WalkIndex, ItsOwnFolderIsNeverWalkedAndPrivate) {
  cache_ = WalkCache(root_ / "d1/ward");
  ASSERT_TRUE(cache_.prepare());
  warm();
  struct stat status = {};
  ASSERT_EQ(::stat(cache_.folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
  ASSERT_EQ(::stat(index_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(WalkIndex, OldAndSurplusFilesAreRemovedWhenOneIsWritten) {
  ASSERT_TRUE(cache_.prepare());
  for (std::size_t i = 0; i < kMaxIndexFiles + 10; ++i)
    std::filesystem::copy_file(cache_.folder() + "/index.key",
                               cache_.folder() + "/walk-" + std::to_string(i));
  warm();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cache_.folder()))
    files += entry.path().filename().string().starts_with("walk-");
  EXPECT_EQ(files, kMaxIndexFiles);
  EXPECT_FALSE(index_file().empty());
}

TEST_F(WalkIndex, RandomChangesNeverMakeItDisagreeWithAFullWalk) {
  std::mt19937 random{42};
  for (int round = 0; round < 150; ++round) {
    for (int change = 0; change < 5; ++change) {
      std::string a = root_ / ("d" + std::to_string(random() % 20));
      std::string b = root_ / ("d" + std::to_string(random() % 20));
      switch (random() % 6) {
        case 0: ::close(::open((a + "/.env").c_str(), O_CREAT | O_WRONLY, 0600)); break;
        case 1: ::unlink((a + "/.env").c_str()); break;
        case 2: ::mkdir((a + "/s").c_str(), 0700); break;
        case 3: ::rename((a + "/s").c_str(), (b + "/s").c_str()); break;
        case 4: ::close(::open((a + "/s/.env").c_str(), O_CREAT | O_WRONLY, 0600)); break;
        case 5: ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE); break;
      }
    }
    offset_ns = round % 2 == 0 ? 0 : 10'000'000'000;
    found();
    if (HasFailure()) FAIL() << "round " << round;
    if (round % 10 == 9) std::filesystem::remove(index_file());
  }
}

TEST(WalkIndexFolder, FollowsTheBaseDirectoryRules) {
  EXPECT_EQ(index_folder("/home/u", ""), "/home/u/.cache/ward");
  EXPECT_EQ(index_folder("/home/u", "/c"), "/c/ward");
  EXPECT_EQ(index_folder("/home/u", "relative"), "/home/u/.cache/ward");
}

// Every byte string is either read to its end or refused, whatever it claims about itself.
void read_all(std::string_view body) {
  auto reader = IndexReader::open(body, ~0ULL);
  if (!reader) return;
  auto place = reader->root("/r");
  if (!place) return;
  std::vector<IndexReader::Place> open = {*place};
  std::size_t steps = 0;
  while (!open.empty()) {
    IndexReader::Place at = open.back();
    open.pop_back();
    auto folder = reader->folder(at);
    if (!folder) continue;
    std::uint32_t i = 0;
    for (; i < folder->names; ++i)
      if (!reader->name(at)) break;
    if (i < folder->names) continue;
    for (i = 0; i < folder->folders; ++i) {
      auto child = reader->child(at);
      if (!child) break;
      open.push_back(child->place);
      ASSERT_LT(++steps, body.size() + 1);
    }
  }
}

TEST(IndexReader, SurvivesHostileBytes) {
  IndexWriter writer;
  writer.add_device(1, 2);
  writer.begin_root("/r");
  auto root = writer.begin_folder({{{1, 2}, 3, 4}, true});
  writer.add_name(".env", 8);
  writer.begin_child("sub");
  auto sub = writer.begin_folder({{{1, 5}, 6, 7}, true});
  writer.add_name(".env", 8);
  writer.end_folder(sub, 1, 0);
  writer.end_folder(root, 1, 1);
  const std::string good = writer.finish(9);
  auto reader = IndexReader::open(good, 10);
  ASSERT_TRUE(reader);
  auto place = reader->root("/r");
  ASSERT_TRUE(place);
  EXPECT_FALSE(reader->root("/other"));
  EXPECT_FALSE(IndexReader::open(good, 8));  // written in the future

  std::mt19937 random{5};
  for (int i = 0; i < 200000; ++i) {
    std::string bad = good;
    for (std::uint32_t n = random() % 4; n != ~0U; --n) {
      const unsigned char kEdges[] = {0, 1, 0x7F, 0x80, 0xFF, static_cast<unsigned char>(random())};
      bad[random() % bad.size()] = static_cast<char>(kEdges[random() % 6]);
    }
    if (random() % 3 == 0) bad.resize(random() % bad.size());
    read_all(bad);
  }
}

}  // namespace
}  // namespace ward::confine
