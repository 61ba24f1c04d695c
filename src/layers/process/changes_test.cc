// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/changes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace ward::process {
namespace {

using Paths = std::vector<std::string>;

class ChangesTest : public ::testing::Test {
 protected:
  Snapshot snapshot() {
    auto taken = Snapshot::take({root_.path()});
    if (!taken) throw std::runtime_error(taken.error().describe());
    return std::move(*taken);
  }
  Paths below(const Paths& paths) {
    Paths out;
    for (const std::string& path : paths) out.push_back(path.substr(root_.path().size()));
    return out;
  }
  test::TempDir root_;
};

TEST_F(ChangesTest, CreatedChangedAndDeletedFilesAreListed) {
  root_.write("keep", "x");
  root_.write("change", "x");
  root_.write("delete", "x");
  root_.write("sub/deep/mode", "x");
  Snapshot before = snapshot();
  root_.write("change", "xy");
  root_.write("new/file", "x");
  ASSERT_EQ(::unlink((root_ / "delete").c_str()), 0);
  ASSERT_EQ(::chmod((root_ / "sub/deep/mode").c_str(), 0700), 0);
  Changes changes = compare(before, snapshot());
  EXPECT_EQ(below(changes.created), (Paths{"/new/", "/new/file"}));
  EXPECT_EQ(below(changes.changed), (Paths{"/change", "/sub/deep/mode"}));
  EXPECT_EQ(below(changes.deleted), (Paths{"/delete"}));
  EXPECT_EQ(changes.omitted, 0U);
}

TEST_F(ChangesTest, AWriteOfTheSameSizeWithTheTimeSetBackIsSeen) {
  std::string file = root_.write("a", "old");
  struct stat status = {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  Snapshot before = snapshot();
  root_.write("a", "new");
  const struct timespec times[2] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  Changes changes = compare(before, snapshot());
  // Within one tick of an old kernel's clock it can only be called uncertain, never unchanged.
  Paths named = below(changes.changed);
  for (const std::string& path : below(changes.uncertain)) named.push_back(path);
  EXPECT_EQ(named, (Paths{"/a"}));
}

TEST_F(ChangesTest, AFileReplacedByRenameOrByAnotherKindIsChanged) {
  root_.write("a", "x");
  root_.write("b", "x");
  root_.write("other", "x");
  Snapshot before = snapshot();
  ASSERT_EQ(::rename((root_ / "other").c_str(), (root_ / "a").c_str()), 0);
  ASSERT_EQ(::unlink((root_ / "b").c_str()), 0);
  ASSERT_EQ(::symlink("a", (root_ / "b").c_str()), 0);
  Changes changes = compare(before, snapshot());
  EXPECT_EQ(below(changes.changed), (Paths{"/a", "/b"}));
  EXPECT_EQ(below(changes.deleted), (Paths{"/other"}));
}

TEST_F(ChangesTest, NamesAroundTheSlashInByteOrderKeepTheirPlace) {
  for (const char* name : {"a-b", "a.b", "a/x", "a!", "a0"}) root_.write(name, "x");
  Snapshot before = snapshot();
  root_.write("a/y", "x");
  Changes changes = compare(before, snapshot());
  EXPECT_EQ(below(changes.created), (Paths{"/a/y"}));
  EXPECT_TRUE(changes.deleted.empty());
}

TEST_F(ChangesTest, WhatHappensInAGitFolderIsNotListedFileByFile) {
  root_.write("r/.git/HEAD", "x");
  Snapshot before = snapshot();
  root_.write("r/.git/objects/ab/cd", "x");
  root_.write("r/.gitignore", "x");
  Changes changes = compare(before, snapshot());
  EXPECT_EQ(below(changes.created), (Paths{"/r/.gitignore"}));
  EXPECT_EQ(below(changes.git_folders), (Paths{"/r/.git"}));
}

TEST_F(ChangesTest, LongListsAreCutAndCounted) {
  Snapshot before = snapshot();
  for (std::size_t i = 0; i < kMaxListedChanges + 5; ++i) root_.write("f" + std::to_string(i), "");
  Changes changes = compare(before, snapshot());
  EXPECT_EQ(changes.created.size(), kMaxListedChanges);
  EXPECT_EQ(changes.omitted, 5U);
}

TEST_F(ChangesTest, NestedFoldersAreTakenOnceAndSkippedOnesNot) {
  root_.write("a/b/c", "x");
  root_.write("hidden/x", "x");
  auto taken = Snapshot::take({root_ / "a", root_.path(), root_ / "a/b"}, {root_ / "hidden"});
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->size(), 3U);
}

}  // namespace
}  // namespace ward::process
