// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/policy_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/needs.h"
#include "support/temp_dir.h"

namespace ward::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMost = 1U << 20U;
constexpr const char* kText = "version: 1\n";

// What read_managed() says of a file: its text, or the error.
std::string managed(const std::string& path) {
  const Result<std::string> text = PolicyFiles().read_managed(path, kMost);
  return text ? *text : text.error().describe();
}

TEST(ManagedFile, OfTheSystemIsRead) {
  const Result<std::string> text = PolicyFiles().read_managed("/etc/passwd", kMost);
  ASSERT_TRUE(text) << text.error().describe();
  EXPECT_THAT(*text, HasSubstr("root:"));
}

TEST(ManagedFile, WithoutItsFolderIsAbsentWhoeverOwnsTheRest) {
  const test::TempDir folder;
  const Result<std::string> text = PolicyFiles().read_managed(folder / "ward/managed.yaml", kMost);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind(), ErrorKind::not_found);
}

TEST(ManagedFile, OfAnOrdinaryUserIsRefusedWithItsRemedy) {
  NEEDS(ordinary_user);
  const test::TempDir folder;
  const std::string path = folder.write("managed.yaml", kText);
  EXPECT_EQ(PolicyFiles().read(path, kMost).value_or(""), kText);
  EXPECT_THAT(managed(path), HasSubstr("belongs to uid " + std::to_string(::getuid())));
  EXPECT_THAT(managed(path), HasSubstr("chown root"));
}

class RootsManagedFile : public ::testing::Test {
 protected:
  test::TempDir folder_;
  std::string place_ = folder_.make_dir("ward");
  std::string path_ = folder_.write("ward/managed.yaml", kText);
};

TEST_F(RootsManagedFile, IsReadAndAbsentWhereItDoesNotExist) {
  NEEDS(root);
  EXPECT_EQ(managed(path_), kText);
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  EXPECT_EQ(PolicyFiles().read_managed(path_, kMost).error().kind(), ErrorKind::not_found);
}

TEST_F(RootsManagedFile, ThatAnotherOwnsOrCanWriteIsRefused) {
  NEEDS(root);
  ASSERT_EQ(::chown(path_.c_str(), 12345, 0), 0);
  EXPECT_THAT(managed(path_), HasSubstr(path_ + " belongs to uid 12345"));
  ASSERT_EQ(::chown(path_.c_str(), 0, 12345), 0);
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_THAT(managed(path_), HasSubstr(path_ + " can be written by others than root"));
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  EXPECT_EQ(managed(path_), kText);
}

TEST_F(RootsManagedFile, InAFolderThatAnotherOwnsOrCanWriteIsRefused) {
  NEEDS(root);
  for (const std::string& place : {place_, folder_.path()}) {
    ASSERT_EQ(::chown(place.c_str(), 12345, 0), 0);
    EXPECT_THAT(managed(path_), HasSubstr(place + " belongs to uid 12345"));
    ASSERT_EQ(::chown(place.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(place.c_str(), 0775), 0);
    EXPECT_THAT(managed(path_), HasSubstr(place + " can be written by others than root"));
    ASSERT_EQ(::chmod(place.c_str(), 0755), 0);
  }
  EXPECT_EQ(managed(path_), kText);
}

// Its owner took the file away, and with it what it denied.
TEST_F(RootsManagedFile, TakenOutOfAFolderThatAnotherOwnsIsNotAbsent) {
  NEEDS(root);
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  ASSERT_EQ(::chown(place_.c_str(), 12345, 0), 0);
  EXPECT_THAT(managed(path_), HasSubstr(place_ + " belongs to uid 12345"));
}

TEST_F(RootsManagedFile, BehindALinkIsRefused) {
  NEEDS(root);
  const std::string link = folder_ / "link.yaml", place = folder_ / "place";
  ASSERT_EQ(::symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_THAT(managed(link), HasSubstr("is a symbolic link"));
  ASSERT_EQ(::symlink("ward", place.c_str()), 0);
  EXPECT_THAT(managed(place + "/managed.yaml"), HasSubstr("is a symbolic link"));
}

}  // namespace
}  // namespace ward::cli
