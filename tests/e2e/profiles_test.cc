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

// The attack: the next run, or this one after a reload, goes by what the command wrote.
TEST_F(Profiles, WhatADocumentExtendsIsNamedFromWhereItIs) {
  sandbox.workspace_file("conf/base.yaml", "version: 1\nextends: read-only\n");
  sandbox.workspace_file("conf/agent.yaml", "version: 1\nextends: ./base.yaml\n");
  sandbox.workspace_file("top.yaml", "version: 1\nextends: ./conf/base.yaml\n");
  for (const char* named : {"conf/agent.yaml", "./top.yaml", "top.yaml"}) {
    sandbox.options = {"--policy", named};
    const SandboxResult result = sandbox.run("touch made || echo kept");
    EXPECT_EQ(result.out, "kept\n") << named << result.err;
  }
}

TEST_F(Profiles, NoCommandWritesADocumentOfItsOwnPolicy) {
  const std::string wide = "version: 1\nextends: workspace\nnetwork: {allow: [a.example]}\n";
  const std::string base = sandbox.workspace_file("conf/base.yaml", wide);
  const std::string named =
      sandbox.workspace_file("agent.yaml", "version: 1\nextends: ./conf/base.yaml\n");
  std::filesystem::create_symlink("agent.yaml", sandbox.workspace() + "/link.yaml");
  sandbox.options = {"--policy", sandbox.workspace() + "/link.yaml"};
  const std::string script =
      "for f in agent.yaml link.yaml conf/base.yaml; do echo evil >> $f; mv $f $f.old; rm -f $f; "
      "ln -sf /dev/null $f; done; mv conf old; echo x > other.yaml && rm other.yaml && echo free";
  const SandboxResult result = sandbox.run(script);
  EXPECT_THAT(result.out, HasSubstr("free")) << result.err;
  EXPECT_EQ(read_text(base), wide);
  EXPECT_EQ(read_text(named), "version: 1\nextends: ./conf/base.yaml\n");
  EXPECT_TRUE(std::filesystem::is_symlink(sandbox.workspace() + "/link.yaml"));
  EXPECT_EQ(sandbox.run("true").status, 0);
  // The control: outside all of it can be written.
  sandbox.outside(script);
  EXPECT_FALSE(std::filesystem::exists(sandbox.workspace() + "/conf"));
}

}  // namespace
}  // namespace ward::test
