// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the result says about the workspace: the files a run changed, and what it left there that
// git, a shell, an editor or an agent would execute later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "support/needs.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using Paths = std::vector<std::string>;

class WorkspaceReport : public testing::Test {
 protected:
  void SetUp() override { NEEDS(user_namespaces, seccomp_notify); }

  void protect_by(const std::string& mechanism) {
    sandbox_.set_policy("version: 1\nextends: workspace\nfilesystem: {protect: " + mechanism +
                        "}\n");
  }
  // Of `report`, with the workspace taken off.
  Paths paths(const nlohmann::json& list) const {
    Paths out;
    for (const nlohmann::json& entry : list) {
      std::string path = entry.is_string() ? entry : entry.at("path");
      out.push_back(path.substr(sandbox_.workspace().size() + 1));
    }
    return out;
  }
  Paths left(const SandboxResult& result) const {
    return paths(result.report.at("leftovers").at("list"));
  }

  Sandbox sandbox_;
};

TEST_F(WorkspaceReport, ChangesAreListedByKind) {
  sandbox_.workspace_file("kept", "as it was");
  sandbox_.workspace_file("written", "before");
  sandbox_.workspace_file("gone/file", "");
  sandbox_.outside("git init -q .");
  sandbox_.options = {"--changes"};
  SandboxResult result = sandbox_.run(
      "echo after >> written; rm -r gone; mkdir new; echo x > new/file; git add written");
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json& changes = result.report.at("changes");
  EXPECT_THAT(paths(changes.at("created")), ElementsAre("new/", "new/file"));
  EXPECT_THAT(paths(changes.at("changed")), ElementsAre("written"));
  EXPECT_THAT(paths(changes.at("deleted")), ElementsAre("gone/", "gone/file"));
  EXPECT_THAT(paths(changes.at("gitFolders")), ElementsAre(".git"));
  EXPECT_EQ(changes.at("omitted"), 0);
}

TEST_F(WorkspaceReport, WithoutTheOptionNothingIsListed) {
  SandboxResult result = sandbox_.run("echo x > file; mkdir folder; mv file folder");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(result.report.contains("changes"));
  EXPECT_FALSE(result.report.contains("leftovers"));
}

TEST_F(WorkspaceReport, AHookInANewRepositoryIsNamed) {
  NEEDS(tool("git"));
  const std::string script =
      "git init -q sub && printf '#!/bin/sh\n' > sub/.git/hooks/post-commit && "
      "chmod 755 sub/.git/hooks/post-commit && git -C sub config core.fsmonitor ./evil && "
      "mkdir deep && echo x > deep/.envrc";
  for (const char* mechanism : {"guard", "emulate"}) {
    SCOPED_TRACE(mechanism);
    protect_by(mechanism);
    SandboxResult result = sandbox_.run(script);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(left(result), UnorderedElementsAre("deep/.envrc", "sub/.git/config",
                                                   "sub/.git/hooks/post-commit"));
    EXPECT_THAT(result.report.at("leftovers").dump(), HasSubstr("core.fsmonitor"));
    sandbox_.outside("rm -rf sub deep");
  }
}

// The parts have harmless names, and the moved folder too.
TEST_F(WorkspaceReport, AMovedFolderIsLookedThrough) {
  NEEDS(tool("git"));
  for (const char* mechanism : {"guard", "emulate"}) {
    SCOPED_TRACE(mechanism);
    sandbox_.outside(
        "mkdir -p store/kept && git init -q --bare store/kept/x && "
        "git -C store/kept/x config core.fsmonitor ./evil");
    protect_by(mechanism);
    SandboxResult result = sandbox_.run("mv store/kept/x y");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(left(result), ElementsAre("y/config"));
    sandbox_.outside("rm -rf store y");
  }
}

// What is in the sandbox's own /tmp is gone with it; a workspace that happens to lie there is not.
TEST_F(WorkspaceReport, AWorkspaceBelowAPrivateFolderIsAWorkspace) {
  std::string folder = "/tmp/ward-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  sandbox_.process.cwd = folder;
  const std::string leave = "mkdir sub; echo x > sub/.envrc";
  SandboxResult result = sandbox_.run(leave + "; echo x > .env");
  std::string report = result.report.dump();
  const bool made = std::filesystem::exists(folder + "/.env");
  std::filesystem::remove_all(folder);
  EXPECT_THAT(report, HasSubstr(folder + "/sub/.envrc"));
  EXPECT_THAT(report, HasSubstr("denyRead **/.env"));
  EXPECT_FALSE(made);
  sandbox_.process.cwd = sandbox_.workspace();
  EXPECT_FALSE(sandbox_.run("cd /tmp; " + leave).report.contains("leftovers"));
}

TEST_F(WorkspaceReport, CommitsAreNotSearchedForLeftovers) {
  NEEDS(tool("git"));
  sandbox_.home_file(".gitconfig", "[user]\n\tname = A Person\n\temail = person@localhost\n");
  ASSERT_EQ(sandbox_.outside("git init -q -b main . && git commit -q --allow-empty -m 1").status,
            0);
  for (const char* mechanism : {"guard", "emulate"}) {
    SCOPED_TRACE(mechanism);
    protect_by(mechanism);
    SandboxResult result = sandbox_.run(
        "echo a > a && git add a && git commit -qm a && git switch -qc side && git switch -q main "
        "&& git branch -d side");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_FALSE(result.report.contains("leftovers"))
        << "git does this all day; it must not cost a walk through the tree";
    sandbox_.outside("git reset -q --hard HEAD~");
  }
}

}  // namespace
}  // namespace ward::test
