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
  // Not a folder above the workspace: of those, the names of what they hold can be seen.
  EXPECT_EQ(sandbox.run("ls /var/cache").out, "");
  EXPECT_THAT(sandbox.outside("ls /var/cache").out, HasSubstr("apt"));
}

}  // namespace
}  // namespace ward::test
