// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/learn_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/needs.h"
#include "support/temp_dir.h"

namespace ward::cli {
namespace {

namespace fs = std::filesystem;

class LearnPlaceTest : public ::testing::Test {
 protected:
  // What a killed command leaves: its folder, and an overlay's `work` that nobody may enter.
  std::string left_behind() {
    const std::string place = base_.make_dir("ward-learn-AbCdEf");
    base_.write("ward-learn-AbCdEf/held/id/0/file", "held");
    fs::permissions(base_.make_dir("ward-learn-AbCdEf/held/id/work"), fs::perms::none);
    return place;
  }
  test::TempDir base_;
};

TEST_F(LearnPlaceTest, IsPrivateAndGoneWithItsOwnerWhateverIsInIt) {
  std::string path;
  {
    const LearnPlace place = LearnPlace::make(base_.path()).value();
    path = place.path();
    struct stat status = {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0700U);
    fs::create_directories(path + "/held/id/work");
    fs::permissions(path + "/held/id/work", fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(LearnPlaceTest, WhatAKilledOneLeftIsSwept) {
  const std::string left = left_behind();
  ASSERT_TRUE(sweep_learn_places(base_.path()));
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(LearnPlaceTest, OneThatIsInUseIsNotSwept) {
  const LearnPlace place = LearnPlace::make(base_.path()).value();
  ASSERT_TRUE(sweep_learn_places(base_.path()));
  EXPECT_TRUE(fs::exists(place.path()));
}

TEST_F(LearnPlaceTest, OtherFoldersLinksAndFilesAreLeftAlone) {
  const std::string outside = base_.write("other/file", "kept");
  fs::create_symlink(base_ / "other", base_ / "ward-learn-link");
  base_.write("ward-learn-file", "kept");
  ASSERT_TRUE(sweep_learn_places(base_.path()));
  EXPECT_EQ(test::read_text(outside), "kept");
  EXPECT_EQ(test::read_text(base_ / "ward-learn-file"), "kept");
  EXPECT_TRUE(fs::is_symlink(base_ / "ward-learn-link"));
}

TEST_F(LearnPlaceTest, AnotherUsersIsLeftAlone) {
  NEEDS(root);
  const std::string left = left_behind();
  ASSERT_EQ(::chown(left.c_str(), 12345, 12345), 0);
  ASSERT_TRUE(sweep_learn_places(base_.path()));
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(LearnPlaceTest, WhereThereIsNoBaseThereIsNothingToSweep) {
  EXPECT_TRUE(sweep_learn_places(base_ / "absent"));
}

}  // namespace
}  // namespace ward::cli
