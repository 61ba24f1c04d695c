// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/state_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "support/temp_dir.h"
#include "sys/file.h"

namespace ward::sys {
namespace {

TEST(StateFolder, IsWhereTheEnvironmentSays) {
  EXPECT_EQ(state_folder_path("/s", "/home/u").value(), "/s/ward");
  EXPECT_EQ(state_folder_path(nullptr, "/home/u").value(), "/home/u/.local/state/ward");
  EXPECT_EQ(state_folder_path("", "/home/u").value(), "/home/u/.local/state/ward");
  EXPECT_EQ(state_folder_path("relative", "/home/u").value(), "/home/u/.local/state/ward");
  EXPECT_FALSE(state_folder_path(nullptr, nullptr));
  EXPECT_FALSE(state_folder_path(nullptr, "relative"));
}

TEST(StateFolder, IsMadeForTheUserAlone) {
  const test::TempDir dir;
  const std::string path = dir / "a/b/ward";
  const auto absent = open_state_folder(path);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().os_errno(), ENOENT);
  ASSERT_TRUE(make_state_folder(path));
  EXPECT_EQ(stat_at(AT_FDCWD, path).value().st_mode & 07777U, 0700U);
  EXPECT_EQ(stat_at(AT_FDCWD, dir / "a").value().st_mode & 07777U, 0700U);
  EXPECT_TRUE(make_state_folder(path));
}

TEST(StateFolder, IsClosedWhereOthersCouldRead) {
  const test::TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  ASSERT_TRUE(open_state_folder(dir.path()));
  EXPECT_EQ(stat_at(AT_FDCWD, dir.path()).value().st_mode & 07777U, 0700U);
}

TEST(StateFolder, IsRefusedWhereOthersCouldWrite) {
  const test::TempDir dir;
  for (const mode_t mode : {mode_t{0720}, mode_t{0702}, mode_t{0777}}) {
    ASSERT_EQ(::chmod(dir.path().c_str(), mode), 0);
    const auto refused = make_state_folder(dir.path());
    ASSERT_FALSE(refused) << mode;
    EXPECT_EQ(refused.error().kind(), ErrorKind::denied);
  }
}

TEST(StateFolder, IsRefusedWhereItIsALinkOrAFile) {
  const test::TempDir dir;
  const std::string target = dir.make_dir("target");
  ASSERT_EQ(::symlink(target.c_str(), (dir / "link").c_str()), 0);
  for (const std::string& path : {dir / "link", dir.write("file", "")}) {
    const auto refused = make_state_folder(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().kind(), ErrorKind::denied);
  }
  ASSERT_EQ(::chmod(target.c_str(), 0700), 0);
  EXPECT_TRUE(make_state_folder(target));
}

TEST(StateFolder, OfAnotherUserIsRefused) {
  // "/" is root's; root is given a folder of another user.
  if (::geteuid() != 0) {
    const auto refused = open_state_folder("/");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), ErrorKind::denied);
    return;
  }
  const test::TempDir dir;
  ASSERT_EQ(::chown(dir.path().c_str(), 65533, 65533), 0);
  const auto refused = open_state_folder(dir.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::denied);
}

}  // namespace
}  // namespace ward::sys
