// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward run --review`, `review`, `apply` and `discard` as a person uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/needs.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class ReviewCommand : public testing::Test {
 protected:
  void SetUp() override { NEEDS(user_namespaces, overlay_in_user_namespace); }
  std::string hold(const std::string& script, std::vector<std::string> more = {}) {
    sandbox_.options = {"--review"};
    sandbox_.options.insert(sandbox_.options.end(), more.begin(), more.end());
    result_ = sandbox_.run(script);
    return result_.report.is_object() && result_.report.contains("review")
               ? result_.report["review"].value("id", "")
               : "";
  }
  RunResult ward(const std::vector<std::string>& words) const {
    return run_ward(words, sandbox_.process_options());
  }
  std::string in_workspace(const std::string& name) const {
    return sandbox_.workspace() + "/" + name;
  }

  Sandbox sandbox_;
  SandboxResult result_;
};

TEST_F(ReviewCommand, TheReportSaysWhatIsHeldAndWhatToTypeNext) {
  std::string id = hold("echo x > x; exit 3", {"--keep", "2h"});
  EXPECT_EQ(result_.status, 3);
  EXPECT_EQ(result_.report["review"]["changes"], 1);
  EXPECT_EQ(result_.report["review"]["next"][1], "ward apply " + id);
  EXPECT_TRUE(result_.report["review"].contains("deadline"));
  EXPECT_THAT(ward({"review"}).out, HasSubstr(id));
  EXPECT_THAT(ward({"review"}).out,
              testing::AnyOf(HasSubstr("2h 0m left"), HasSubstr("1h 59m left")));
}

TEST_F(ReviewCommand, ARunThatChangesNothingHoldsNothing) {
  sandbox_.workspace_file("file", "same\n");
  hold("cat file; touch -c file; echo same > file");
  EXPECT_EQ(result_.status, 0);
  EXPECT_EQ(result_.report["review"]["changes"], 0);
  EXPECT_EQ(ward({"review"}).out, "no changes are held\n");
}

TEST_F(ReviewCommand, EveryKindOfChangeIsShownAndLanded) {
  sandbox_.workspace_file("changed", "one\ntwo\nthree\n");
  sandbox_.workspace_file("old-name", "a content long enough to know again\n");
  sandbox_.workspace_file("script", "#!/bin/sh\n");
  sandbox_.workspace_file("to-folder", "file\n");
  sandbox_.workspace_file("to-file/inner", "inner\n");
  sandbox_.workspace_file("emptied/a", "a\n");
  std::string id = hold(
      "sed -i s/two/zwei/ changed; mv old-name new-name; chmod +x script; rm to-folder; "
      "mkdir to-folder; echo i > to-folder/i; rm -r to-file; echo f > to-file; "
      "rm -r emptied; mkdir emptied; printf '\\0\\1' > binary; mkdir -m 500 closed; ln -s a l");
  RunResult shown = ward({"review", id});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("-two\n+zwei\n"));
  EXPECT_THAT(shown.out, HasSubstr("renamed from " + in_workspace("old-name")));
  EXPECT_THAT(shown.out, HasSubstr("mode file " + in_workspace("script")));
  EXPECT_THAT(shown.out, HasSubstr("changed file -> folder " + in_workspace("to-folder")));
  EXPECT_THAT(shown.out, HasSubstr("changed folder -> file " + in_workspace("to-file")));
  EXPECT_THAT(shown.out, HasSubstr("deleted file " + in_workspace("emptied/a")));
  EXPECT_THAT(shown.out, HasSubstr("sha256"));
  EXPECT_THAT(ward({"review", id, "--stat"}).out, Not(HasSubstr("+zwei")));
  EXPECT_THAT(ward({"review", id, "--name-only", in_workspace("to-folder")}).out,
              testing::StartsWith(in_workspace("to-folder") + "\n"));

  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(read_text(in_workspace("changed")), "one\nzwei\nthree\n");
  EXPECT_FALSE(fs::exists(in_workspace("old-name")));
  EXPECT_TRUE(fs::exists(in_workspace("new-name")));
  struct stat status = {};
  ASSERT_EQ(::stat(in_workspace("script").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0111U, 0111U);
  EXPECT_EQ(read_text(in_workspace("to-folder/i")), "i\n");
  EXPECT_EQ(read_text(in_workspace("to-file")), "f\n");
  EXPECT_TRUE(fs::is_empty(in_workspace("emptied")));
  ASSERT_EQ(::stat(in_workspace("closed").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0500U);
  EXPECT_EQ(fs::read_symlink(in_workspace("l")), "a");
  EXPECT_EQ(ward({"review"}).out, "no changes are held\n");
}

TEST_F(ReviewCommand, ASingleWritableFileIsHeldAsItsCopy) {
  std::string file = sandbox_.home_file("settings", "before\n");
  sandbox_.set_policy("version: 1\nextends: workspace\nfilesystem: {allowWrite: [~/settings]}\n");
  std::string id = hold("echo after > ~/settings; cat ~/settings");
  EXPECT_EQ(result_.out, "after\n") << result_.err;
  EXPECT_EQ(read_text(file), "before\n");
  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(read_text(file), "after\n");
}

TEST_F(ReviewCommand, PastItsDeadlineAHeldChangeIsGoneAndTheJournalSaysSo) {
  std::string id = hold("echo x > x", {"--keep", "1s"});
  ASSERT_FALSE(id.empty()) << result_.err;
  // The clock is the machine's: the deadline is moved instead.
  std::string file = sandbox_.home() + "/.local/state/ward/held/" + id + "/held.json";
  sandbox_.outside("sed -i 's/\"deadline\": [0-9]*/\"deadline\": 1/' " + file);
  RunResult listed = ward({"review"});
  EXPECT_THAT(listed.err, HasSubstr("past their deadline"));
  EXPECT_EQ(listed.out, "no changes are held\n");
  EXPECT_EQ(ward({"apply", id}).status, 125);
  EXPECT_FALSE(fs::exists(in_workspace("x")));
}

TEST_F(ReviewCommand, DiscardDropsAndAnUnknownIdIsAnError) {
  std::string id = hold("echo x > x");
  EXPECT_EQ(ward({"discard", id.substr(0, 20)}).status, 0);
  EXPECT_EQ(ward({"review", id}).status, 125);
  EXPECT_EQ(ward({"apply", "nothing"}).status, 125);
  EXPECT_EQ(ward({"apply"}).status, 2);
  EXPECT_FALSE(fs::exists(in_workspace("x")));
}

TEST_F(ReviewCommand, AStateFolderInAWritableFolderIsRefusedByName) {
  sandbox_.process.env["XDG_STATE_HOME"] = sandbox_.workspace() + "/state";
  EXPECT_EQ(hold("echo x > x"), "");
  EXPECT_EQ(result_.status, 125);
  EXPECT_THAT(result_.err, HasSubstr("XDG_STATE_HOME"));
  EXPECT_FALSE(fs::exists(in_workspace("x")));
}

}  // namespace
}  // namespace ward::test
