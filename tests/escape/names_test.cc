// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Names: what a shell, git, an editor or an agent would execute later cannot be made or moved by
// any call, and no repository is led elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/attack.h"
#include "support/needs.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class EscapeNames : public testing::TestWithParam<const char*> {
 protected:
  EscapeNames() {
    sandbox_.set_policy(std::string("version: 1\nextends: workspace\nfilesystem: {protect: ") +
                        GetParam() + "}\n");
  }
  bool there(const std::string& name) const {
    struct stat status = {};
    return ::lstat((sandbox_.workspace() + "/" + name).c_str(), &status) == 0;
  }
  AttackSandbox sandbox_;
};

// $N is the name.
constexpr const char* kCreations[] = {
    "echo x > $N",
    "mkdir $N",
    "mkdir -p $N/deep",
    "ln -s /etc $N",
    "ln file $N",
    "mv file $N; mv $N file",
    "mkfifo $N",
    "cp file $N",
    "mkdir tree; mv tree $N; rmdir tree",
    "ln -s $N link; echo x > link; rm -f link",
    "ln -s . here; echo x > here/$N; rm -f here",
    "echo x > /proc/self/cwd/$N",
    "echo x > ./sub/../$N",
    "mkdir $N/",
    "(cd sub; echo x > ../$N)",
    "(exec 3< .; echo x > /proc/self/fd/3/$N)",
};

TEST_P(EscapeNames, AnAbsentProtectedNameIsMadeByNoCall) {
  NEEDS(tool("git"));
  sandbox_.outside("git init -q .; rm -rf .git/hooks; mkdir sub; echo x > file");
  const char* names[] = {
      ".bashrc", ".vscode",   ".claude",    ".mcp.json",      ".gitconfig",
      "HEAD",    "ward.yaml", ".git/hooks", ".git/commondir", ".git/config.worktree"};
  for (const char* name : names) {
    std::string script = std::string("N=") + name + "; ";
    for (const char* creation : kCreations) script += std::string(creation) + "; ";
    sandbox_.run(script);
    EXPECT_FALSE(there(name)) << name;
    EXPECT_TRUE(there("file")) << name;
  }
  EXPECT_EQ(sandbox_.outside("mkdir .git/hooks").status, 0);
}

TEST_P(EscapeNames, ARepositoryCannotBeMovedAwayAndMadeAnew) {
  NEEDS(tool("git"));
  sandbox_.outside("git init -q .; git init -q nested/deep");
  std::string hook = "; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit";
  sandbox_.run("mv .git .git2" + hook + "; rm -rf .git" + hook +
               "; mv .git/hooks .git/h2; mkdir .git/hooks; echo evil > .git/hooks/pre-commit");
  sandbox_.run("mv nested n2; mkdir -p nested/deep; cd nested/deep" + hook);
  sandbox_.run("cd nested; mv deep d2; mkdir deep; cd deep" + hook);
  sandbox_.run("rm -rf nested; mkdir -p nested/deep; cd nested/deep" + hook);
  sandbox_.run("mkdir t; mv -T --exchange t .git");
  EXPECT_TRUE(there(".git"));
  EXPECT_FALSE(there(".git/hooks/pre-commit"));
  EXPECT_FALSE(there(".git2"));
  EXPECT_TRUE(there("nested/deep/.git"));
  EXPECT_FALSE(there("nested/deep/.git/hooks/pre-commit"));
  EXPECT_EQ(sandbox_.outside("mv .git .git2").status, 0);
}

// A `.git` file of the sandbox's making names the main checkout of another project.
TEST_P(EscapeNames, AForgedGitFileOpensNoOtherRepository) {
  NEEDS(tool("git"));
  sandbox_.outside(
      "git init -q ~/other; mkdir fake; echo \"gitdir: $HOME/other/.git\" > fake/.git; "
      "mkdir -p fake2 gd; echo \"$HOME/other/.git\" > gd/commondir; "
      "echo \"$PWD/fake2/.git\" > gd/gitdir; echo 'gitdir: ../gd' > fake2/.git; echo ref > "
      "gd/HEAD");
  SandboxResult result = sandbox_.run(
      "for d in fake fake2; do (cd $d; git config user.name evil; "
      "echo evil > ~/other/.git/hooks/pre-commit; echo x > ~/other/.git/objects/x); done");
  EXPECT_FALSE(fs::exists(sandbox_.home() + "/other/.git/hooks/pre-commit"));
  EXPECT_FALSE(fs::exists(sandbox_.home() + "/other/.git/objects/x"));
  EXPECT_THAT(read_text(sandbox_.home() + "/other/.git/config"), Not(HasSubstr("evil")));
  EXPECT_EQ(sandbox_.outside("echo evil > ~/other/.git/hooks/pre-commit").status, 0);
}

TEST_P(EscapeNames, AProtectedFileThatExistsIsChangedByNoCall) {
  NEEDS(tool("git"));
  sandbox_.outside(
      "git init -q .; mkdir .vscode; echo good > .vscode/tasks.json; echo good > .bashrc");
  sandbox_.run(
      "for f in .bashrc .vscode/tasks.json .git/config; do echo evil > $f; echo evil > n; mv n $f; "
      "ln -sf n $f; rm -f $f; ./attack open-again $f; ./attack truncate $f; mv $f away; done; "
      "mv .vscode away; mkdir .vscode; echo evil > .vscode/tasks.json; echo evil > .vscode/new");
  EXPECT_EQ(read_text(sandbox_.workspace() + "/.bashrc"), "good\n");
  EXPECT_EQ(read_text(sandbox_.workspace() + "/.vscode/tasks.json"), "good\n");
  EXPECT_FALSE(there(".vscode/new"));
  EXPECT_THAT(read_text(sandbox_.workspace() + "/.git/config"), HasSubstr("repositoryformat"));
  EXPECT_EQ(sandbox_.outside("./attack truncate .bashrc").status, 0);
}

INSTANTIATE_TEST_SUITE_P(BothMechanisms, EscapeNames, testing::Values("guard", "emulate"),
                         [](const auto& test) { return std::string(test.param); });

// The check of `guard` lets the call through, and the caller starves itself before the kernel reads
// the name: nobody can tell by the time that has passed whose the file is.
TEST(EscapeRace, ACallThatIsPutOffForSecondsIsStillTheSandboxes) {
  AttackSandbox sandbox;
  sandbox.set_policy("version: 1\nextends: workspace\nlimits: {wall: 25s}\n");
  SandboxResult result = sandbox.run("exec ./attack starve-creation .bashrc");
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/.bashrc"));
  if (result.report["outcome"].dump().find("policy-killed") == std::string::npos) {
    EXPECT_THAT(result.out, Not(HasSubstr("done"))) << result.report["outcome"].dump();
  }
  EXPECT_EQ(sandbox.outside("echo x > .bashrc").status, 0);
}

}  // namespace
}  // namespace ward::test
