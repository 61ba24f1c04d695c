// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The built-in profiles, each in a project below a home folder that holds other things.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/sandbox.h"

namespace ward::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Profiles : public testing::Test {
 protected:
  Profiles() {
    sandbox.workspace_file("notes", "the project");
    sandbox.home_file("other/notes", "another project");
    sandbox.home_file(".gitconfig", "[user]\n");
  }
  static constexpr const char* kAttempts =
      "cat notes; cat ~/other/notes; cat ~/.gitconfig; echo x > made && echo written";
  Sandbox sandbox;
};

TEST_F(Profiles, WorkspaceReadsAndWritesTheProjectAndNothingElseOfTheHome) {
  SandboxResult result = sandbox.run(kAttempts);
  EXPECT_EQ(result.out, "the project[user]\nwritten\n");
  EXPECT_THAT(sandbox.outside(kAttempts).out, HasSubstr("another project"));
}

TEST_F(Profiles, ReadOnlyReadsTheProjectAndWritesNothing) {
  sandbox.options = {"--profile", "read-only"};
  EXPECT_EQ(sandbox.run(kAttempts).out, "the project[user]\n");
  EXPECT_FALSE(std::filesystem::exists(sandbox.workspace() + "/made"));
}

TEST_F(Profiles, LockedReadsTheProjectAndTheSystemOnly) {
  sandbox.options = {"--profile", "locked"};
  EXPECT_EQ(sandbox.run(kAttempts).out, "the project");
  EXPECT_EQ(sandbox.run("ls / | grep -c '^usr$'").out, "1\n");
  EXPECT_THAT(sandbox.run("ls /var/lib /home /root").out, Not(HasSubstr("dpkg")));
  EXPECT_THAT(sandbox.outside("ls /var/lib").out, HasSubstr("dpkg"));
}

}  // namespace
}  // namespace ward::test
