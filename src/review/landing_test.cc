// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "review/landing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/id.h"
#include "review/diff.h"
#include "review/executed.h"
#include "support/temp_dir.h"

namespace ward::review {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// A workspace, and an upper folder as an overlay over it would leave it. Whiteouts need root, so
// what is deleted is told by opaque folders.
class Landing : public testing::Test {
 protected:
  HeldChange make() {
    for (const char* name : {"ws", "state"})
      EXPECT_EQ(
          std::system(("chmod -R u+rwX " + (dir_ / name) + " 2>/dev/null; rm -rf " + (dir_ / name))
                          .c_str()),
          0);
    write(dir_ / "ws/changed", "before");
    write(dir_ / "ws/opaque/old", "old");
    write(dir_ / "ws/opaque/deep/old", "old");
    write(dir_ / "ws/was-file", "file");
    confine::PathPlan plan;
    Result<UniqueFd> folder = sys::open_path(dir_ / "ws", O_PATH);
    confine::PathRow row{.path = dir_ / "ws", .action = confine::Action::writable};
    row.directory = true;
    row.object = sys::object_id(*sys::stat_fd(folder->get()));
    plan.rows.push_back(row);
    HeldInfo info;
    info.id = Id::make()->text();
    id_ = info.id;
    info.deadline = Deadline(std::chrono::seconds(1));
    HeldChange held = *HeldChange::create(dir_ / "state", std::move(info), plan);
    fs::path upper = held.changed_path(0);
    write(upper / "changed", "after");
    write(upper / "new/deep/file", "new");
    write(upper / "was-file/inner", "inner");
    write(upper / "opaque/fresh", "fresh");
    fs::create_symlink("target", upper / "link");
    fs::permissions(upper / "new", fs::perms(0555));
    mark_opaque(upper / "opaque");
    return held;
  }
  void TearDown() override { EXPECT_EQ(std::system(("chmod -R u+rwX " + dir_.path()).c_str()), 0); }
  static void mark_opaque(const fs::path& folder);

  std::map<std::string, std::string> workspace() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "ws")) {
      std::string name = fs::relative(entry.path(), dir_ / "ws");
      found[name] = entry.is_symlink()        ? "-> " + fs::read_symlink(entry.path()).string()
                    : entry.is_regular_file() ? test::read_text(entry.path())
                                              : "folder";
    }
    return found;
  }

  const std::map<std::string, std::string> landed_ = {
      {"changed", "after"},     {"new", "folder"},         {"new/deep", "folder"},
      {"new/deep/file", "new"}, {"was-file", "folder"},    {"was-file/inner", "inner"},
      {"opaque", "folder"},     {"opaque/fresh", "fresh"}, {"link", "-> target"}};
  test::TempDir dir_;
  std::string id_;
};

void Landing::mark_opaque(const fs::path& folder) {
  ASSERT_EQ(std::system(("setfattr -n user.overlay.opaque -v y " + folder.string() +
                         " 2>/dev/null || python3 -c \"import os; os.setxattr('" + folder.string() +
                         "', 'user.overlay.opaque', b'y')\"")
                            .c_str()),
            0);
}

TEST_F(Landing, LandsEveryKindAndHasNothingLeft) {
  HeldChange held = make();
  Result<Changes> changes = list_changes(held);
  ASSERT_TRUE(changes.has_value()) << changes.error().message();
  Status status = land(held, changes->list);
  ASSERT_TRUE(status.has_value()) << status.error().message();
  EXPECT_EQ(workspace(), landed_);
  EXPECT_EQ(fs::status(dir_ / "ws/new").permissions(), fs::perms(0555));
  EXPECT_TRUE(list_changes(held)->list.empty());
}

TEST_F(Landing, KilledAtAnyStepASecondLandingFinishes) {
  bool finished = false;
  for (int fatal = 0; !finished; ++fatal) {
    ASSERT_LT(fatal, 200);
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      HeldChange held = make();
      std::ofstream(dir_ / "id") << id_;
      int step = 0;
      Result<Changes> changes = list_changes(held);
      bool ok = changes && land(held, changes->list, [&] {
                  if (step++ == fatal) ::kill(::getpid(), SIGKILL);
                });
      ::_exit(ok ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    finished = WIFEXITED(status);
    EXPECT_EQ(finished ? WEXITSTATUS(status) : 0, 0);
    Result<HeldChange> opened =
        HeldChange::open(dir_ / "state", test::read_text(dir_ / "id"), Access::exclusive);
    ASSERT_TRUE(opened.has_value()) << opened.error().message();
    HeldChange& again = *opened;
    Result<Changes> rest = list_changes(again);
    ASSERT_TRUE(rest.has_value()) << rest.error().message();
    for (const Change& change : rest->list)
      EXPECT_EQ(change.conflict, "") << fatal << " " << change.path;
    ASSERT_TRUE(remove_unfinished(again, rest->list).has_value());
    Status second = land(again, rest->list);
    ASSERT_TRUE(second.has_value()) << fatal << ": " << second.error().message();
    EXPECT_EQ(workspace(), landed_) << "killed at step " << fatal;
  }
}

TEST(Diff, HunksAreThoseOfAUnifiedDiff) {
  test::TempDir dir;
  std::string before, after;
  for (int i = 1; i <= 40; ++i) {
    before += std::to_string(i) + "\n";
    if (i != 20) after += std::to_string(i) + "\n";
  }
  after += "last";
  dir.write("ws/file", before);
  confine::PathPlan plan;
  confine::PathRow row{.path = dir / "ws", .action = confine::Action::writable};
  row.directory = true;
  row.object = sys::object_id(*sys::stat_at(AT_FDCWD, dir / "ws"));
  plan.rows.push_back(row);
  HeldInfo info;
  info.id = Id::make()->text();
  HeldChange held = *HeldChange::create(dir / "state", std::move(info), plan);
  write(fs::path(held.changed_path(0)) / "file", after);
  Result<Changes> changes = list_changes(held);
  ASSERT_EQ(changes->list.size(), 1U);
  Differ differ(held);
  Result<FileDiff> diff = differ.diff(changes->list[0]);
  ASSERT_TRUE(diff.has_value()) << diff.error().message();
  EXPECT_EQ(diff->hunks,
            "@@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n"
            "@@ -38,3 +37,4 @@\n 38\n 39\n 40\n+last\n\\ No newline at end of file\n");
  EXPECT_EQ(diff->added, 1U);
  EXPECT_EQ(diff->removed, 1U);
}

TEST(ExecutingLine, OnlyWhatGitItselfWritesIsHarmless) {
  EXPECT_EQ(executing_line("[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
                           "[remote \"origin\"]\n\turl = https://example.com/x\n"
                           "[branch \"main\"]\n\tmerge = refs/heads/main\n"),
            "");
  EXPECT_EQ(executing_line("[core]\n\tfsmonitor = evil\n"), "fsmonitor = evil");
  EXPECT_EQ(executing_line("[core] pager = evil\n"), "[core] pager = evil");
  EXPECT_EQ(executing_line("[remote \"x\"]\nurl = ext::sh -c evil\n"), "url = ext::sh -c evil");
  EXPECT_EQ(executing_line("[alias]\nst = !evil\n"), "st = !evil");
  EXPECT_EQ(executing_line("[include]\npath = evil\n"), "path = evil");
}

TEST(ExecutingLine, WhatGitTakesApartOtherwiseIsNotHarmless) {
  for (const char* line :
       {"[core] hooksPath = evil]", "[core]fsmonitor = \"evil\" # ]", "[remote \"x\"] vcs = y]",
        "[remote \"a\\\"] url = b\"]", "[remote \"ext::sh -c evil\"]", "[remote \"-oevil\"]",
        "[remote \"x\"", "[a]]", "# a comment that seems to go on \\"})
    EXPECT_EQ(executing_line(std::string(line) + "\n"), line);
  for (const char* line : {"url = ext\":\":sh -c evil", "url = e\\xt::sh",
                           "url = --upload-pack=evil", "url = \"-oevil\"", "ur\"l = x"})
    EXPECT_EQ(executing_line("[remote \"x\"]\n" + std::string(line) + "\n"), line);
  EXPECT_EQ(executing_line("[remote \"x\"]\r\n\turl = /srv/a-b  \r\n[submodule \"libs/a b\"]\n"
                           "active = true\n;[core] pager = evil\n"),
            "");
}

}  // namespace
}  // namespace ward::review
