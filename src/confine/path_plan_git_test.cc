// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What is protected in workspaces and repositories, on trees as git makes them, and on trees that
// only pretend to be some.
#include "confine/plan_fixture_test.h"
#include "support/process.h"

namespace ward::confine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// git itself is needed only where a tree has to be as git makes it.
class PathPlanGit : public PlanFixture {
 protected:
  void git(std::vector<std::string> arguments, std::string_view folder) {
    arguments.insert(arguments.begin(),
                     {"git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-c",
                      "protocol.file.allow=always", "-c", "init.defaultBranch=main"});
    test::RunResult result =
        test::run(arguments, {.cwd = at(folder), .env = {{"HOME", at("home")}}});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  // A repository with one commit.
  void repository(std::string_view folder) {
    tree.make_dir(folder);
    git({"init", "-q"}, folder);
    tree.write(std::string(folder) + "/file", "x");
    git({"add", "file"}, folder);
    git({"commit", "-qm", "x"}, folder);
  }
  // The parts of a git folder that make it one.
  void bare_shape(std::string_view folder) {
    tree.write(std::string(folder) + "/HEAD", "ref: refs/heads/main\n");
    tree.make_dir(std::string(folder) + "/objects");
    tree.make_dir(std::string(folder) + "/refs");
  }
  // The refused names below `folder`.
  std::vector<std::string> absent_in(const PathPlan& of, std::string_view folder) const {
    std::vector<std::string> out;
    for (const AbsentRow& row : of.absent)
      if (row.parent == at(folder)) out.push_back(row.name);
    return out;
  }
  bool writable(const PathPlan& of, std::string_view name) const {
    return of.rules->decide(at(name)).write;
  }
};

TEST_F(PathPlanGit, AnOrdinaryRepository) {
  repository("home/ws");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/home/ws/ -", "pin T/home/ws/.git/ EBUSY",
                                      "read-only T/home/ws/.git/config EROFS",
                                      "read-only T/home/ws/.git/hooks/ EROFS"));
  EXPECT_THAT(absent_in(made, "home/ws/.git"),
              ElementsAre("commondir", "config.worktree", "gitdir"));
  EXPECT_THAT(absent_in(made, "home/ws"),
              IsSupersetOf({".bashrc", ".zshenv", ".gitconfig", ".vscode", ".idea", ".claude",
                            ".mcp.json", ".codex", ".cursor", "ward.yaml", "HEAD"}));
  EXPECT_THAT(absent_in(made, "home/ws"), Not(Contains(".git")));
  EXPECT_THAT(made.frozen, IsEmpty());
  EXPECT_THAT(lines(made, {"note"}), IsEmpty());
  EXPECT_TRUE(writable(made, "home/ws/.git/index"));
  EXPECT_TRUE(writable(made, "home/ws/.git/objects/ab/cd"));
  EXPECT_FALSE(writable(made, "home/ws/.git/hooks/pre-commit"));
  EXPECT_TRUE(writable(made, "home/ws/CLAUDE.md"));
}

TEST_F(PathPlanGit, AReadOnlyWorkspaceNeedsNoProtection) {
  repository("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsEmpty());
  EXPECT_THAT(made.absent, IsEmpty());
  EXPECT_THAT(made.frozen, IsEmpty());
}

TEST_F(PathPlanGit, AFolderThatIsNoRepositoryCannotBecomeOne) {
  allow_write("home/ws");
  EXPECT_THAT(absent_in(plan(), "home/ws"), IsSupersetOf({".git", "HEAD"}));
}

TEST_F(PathPlanGit, ExistingProtectedNamesAreReadOnly) {
  tree.write("home/ws/.bashrc", "x");
  tree.make_dir("home/ws/.vscode");
  tree.write("home/ws/ward.yaml", "x");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/home/ws/ -", "read-only T/home/ws/.bashrc EROFS",
                                      "read-only T/home/ws/.vscode/ EROFS",
                                      "read-only T/home/ws/ward.yaml EROFS"));
}

TEST_F(PathPlanGit, NoPolicyLiftsTheProtection) {
  tree.write("home/ws/.vscode/settings.json", "x");
  allow_write("home/ws");
  allow_write("home/ws/.vscode");
  rule(policy::PathList::allow_write, "home/ws/.vscode/settings.json", policy::Scope::managed);
  PathPlan made = plan();
  EXPECT_THAT(rows(made),
              ElementsAre("writable T/home/ws/ -", "read-only T/home/ws/.vscode/ EROFS"));
  EXPECT_THAT(lines(made, {"note"}), Contains(HasSubstr("no-effect allowWrite home/ws/.vscode")));
}

TEST_F(PathPlanGit, ANestedRepositoryIsProtectedAndTheWayToItFrozen) {
  repository("home/ws");
  repository("home/ws/vendor/lib");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsSupersetOf({"pin T/home/ws/vendor/lib/.git/ EBUSY",
                                        "read-only T/home/ws/vendor/lib/.git/config EROFS",
                                        "read-only T/home/ws/vendor/lib/.git/hooks/ EROFS"}));
  EXPECT_THAT(absent_in(made, "home/ws/vendor/lib"), IsSupersetOf({".vscode", ".bashrc"}));
  EXPECT_THAT(lines(made, {"frozen"}),
              ElementsAre("frozen T/home/ws/vendor/lib EACCES", "frozen T/home/ws/vendor EACCES"));
}

TEST_F(PathPlanGit, ALinkedWorktreeMayCommitAndNothingElseInTheMainRepository) {
  repository("home/main");
  ::rmdir(at("home/ws").c_str());
  git({"worktree", "add", "-q", at("home/ws")}, "home/main");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(
      rows(made),
      ElementsAre("writable T/home/main/.git/logs/ -", "writable T/home/main/.git/objects/ -",
                  "writable T/home/main/.git/refs/ -", "writable T/home/main/.git/worktrees/ws/ -",
                  "read-only T/home/main/.git/worktrees/ws/commondir EROFS",
                  "read-only T/home/main/.git/worktrees/ws/gitdir EROFS", "writable T/home/ws/ -",
                  "read-only T/home/ws/.git EROFS"));
  EXPECT_THAT(absent_in(made, "home/main/.git/worktrees/ws"),
              ElementsAre("config", "config.worktree", "hooks"));
  for (std::string_view name : {"hooks/pre-commit", "config", "HEAD", "index", "commondir",
                                "rebase-merge/git-rebase-todo", "info/attributes"})
    EXPECT_FALSE(writable(made, "home/main/.git/" + std::string(name))) << name;
  EXPECT_THAT(lines(made, {"note"}), ElementsAre(HasSubstr("only objects, refs and logs")));
}

TEST_F(PathPlanGit, ALinkedWorktreeInADenyingPolicyMayReadTheMainRepository) {
  repository("home/main");
  ::rmdir(at("home/ws").c_str());
  git({"worktree", "add", "-q", at("home/ws")}, "home/main");
  filesystem.default_access = policy::DefaultAccess::deny;
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_TRUE(made.rules->decide(at("home/main/.git/config")).read);
  EXPECT_FALSE(made.rules->decide(at("home/main/file")).read);
}

TEST_F(PathPlanGit, WhatAPersonDeniedIsNotGrantedToAWorktree) {
  repository("home/main");
  ::rmdir(at("home/ws").c_str());
  git({"worktree", "add", "-q", at("home/ws")}, "home/main");
  allow_write("home/ws");
  deny_write("home/main");
  PathPlan made = plan();
  EXPECT_FALSE(writable(made, "home/main/.git/objects/x"));
  EXPECT_THAT(lines(made, {"note"}), Contains(HasSubstr("not granted: denyWrite home/main")));
}

TEST_F(PathPlanGit, AWorktreeWhoseMainRepositoryIsInTheWorkspace) {
  repository("home/ws/main");
  git({"worktree", "add", "-q", at("home/ws/wt")}, "home/ws/main");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsSupersetOf({"pin T/home/ws/main/.git/ EBUSY",
                                        "pin T/home/ws/main/.git/worktrees/wt/ EBUSY",
                                        "read-only T/home/ws/main/.git/hooks/ EROFS",
                                        "read-only T/home/ws/main/.git/worktrees/wt/gitdir EROFS",
                                        "read-only T/home/ws/wt/.git EROFS"}));
  EXPECT_TRUE(writable(made, "home/ws/main/.git/packed-refs"));
  EXPECT_THAT(lines(made, {"note"}), IsEmpty());
}

TEST_F(PathPlanGit, ASubmoduleInItsSuperproject) {
  repository("home/lib");
  repository("home/ws");
  git({"submodule", "add", "-q", at("home/lib"), "deps/lib"}, "home/ws");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsSupersetOf({"pin T/home/ws/.git/modules/deps/lib/ EBUSY",
                                        "read-only T/home/ws/.git/modules/deps/lib/config EROFS",
                                        "read-only T/home/ws/.git/modules/deps/lib/hooks/ EROFS",
                                        "read-only T/home/ws/deps/lib/.git EROFS"}));
  EXPECT_TRUE(writable(made, "home/ws/.git/modules/deps/lib/index"));
  EXPECT_TRUE(writable(made, "home/ws/.gitmodules"));
  // `mv .git/modules .git/m2` would take the mounts along and leave room for new hooks.
  EXPECT_THAT(lines(made, {"frozen"}), IsSupersetOf({"frozen T/home/ws/.git/modules EACCES",
                                                     "frozen T/home/ws/deps/lib EACCES"}));
}

TEST_F(PathPlanGit, ASubmoduleWhoseSuperprojectIsOutsideTheWorkspace) {
  repository("home/lib");
  repository("home/super");
  git({"submodule", "add", "-q", at("home/lib"), "lib"}, "home/super");
  host.workspaces = {at("home/super/lib")};
  host.cwd = host.workspaces[0];
  allow_write("home/super/lib");
  PathPlan made = plan();
  EXPECT_THAT(rows(made),
              ElementsAre("writable T/home/super/.git/modules/lib/ -",
                          "read-only T/home/super/.git/modules/lib/config EROFS",
                          "read-only T/home/super/.git/modules/lib/hooks/ EROFS",
                          "writable T/home/super/lib/ -", "read-only T/home/super/lib/.git EROFS"));
  EXPECT_FALSE(writable(made, "home/super/.git/objects/x"));
}

TEST_F(PathPlanGit, AGitFileGainsNothingByNamingASecret) {
  tree.write("home/.ssh/id", "x");
  tree.write("home/ws/.git", "gitdir: " + at("home/.ssh") + "\n");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/home/ws/ -", "read-only T/home/ws/.git EROFS"));
  EXPECT_THAT(lines(made, {"note"}), ElementsAre(HasSubstr("does not name this folder back")));
}

TEST_F(PathPlanGit, AGitFileGainsNothingByNamingAnotherRepository) {
  repository("home/other");
  tree.write("home/ws/.git", "gitdir: ../other/.git\n");
  allow_write("home/ws");
  EXPECT_FALSE(writable(plan(), "home/other/.git/objects/x"));
}

TEST_F(PathPlanGit, AGitFileGainsNothingByNamingAnothersWorktree) {
  repository("home/main");
  git({"worktree", "add", "-q", at("home/wt")}, "home/main");
  tree.write("home/ws/.git", "gitdir: " + at("home/main/.git/worktrees/wt") + "\n");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_FALSE(writable(made, "home/main/.git/objects/x"));
  EXPECT_FALSE(writable(made, "home/main/.git/worktrees/wt/HEAD"));
  EXPECT_THAT(lines(made, {"note"}), ElementsAre(HasSubstr("does not name this worktree back")));
}

// The git folder lies in the workspace, so its back-link and its `commondir` are the attacker's.
TEST_F(PathPlanGit, AForgedGitFolderGainsNothingByItsCommondir) {
  repository("home/other");
  tree.write("home/ws/.git", "gitdir: fake/worktrees/x\n");
  tree.write("home/ws/fake/worktrees/x/commondir", at("home/other/.git") + "\n");
  tree.write("home/ws/fake/worktrees/x/gitdir", at("home/ws/.git") + "\n");
  tree.write("home/ws/fake/worktrees/x/HEAD", "ref: refs/heads/main\n");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), Not(Contains(HasSubstr("home/other"))));
  EXPECT_FALSE(writable(made, "home/other/.git/objects/x"));
}

TEST_F(PathPlanGit, AForgedGitFolderGainsNothingByALinkInItsPlace) {
  repository("home/other");
  tree.make_dir("home/other/.git/worktrees");
  tree.write("home/ws/.git", "gitdir: fake/worktrees/x\n");
  tree.make_dir("home/ws/fake");
  link(at("home/ws/evil"), "home/ws/fake/worktrees");
  tree.write("home/ws/evil/x/commondir", at("home/other/.git") + "\n");
  tree.write("home/ws/evil/x/gitdir", at("home/ws/.git") + "\n");
  allow_write("home/ws");
  EXPECT_FALSE(writable(plan(), "home/other/.git/objects/x"));
}

TEST_F(PathPlanGit, ASymlinkedGitFolderOfAnotherPlaceIsNotGranted) {
  repository("home/other");
  link("../other/.git", "home/ws/.git");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/home/ws/ -"));
  EXPECT_THAT(lines(made, {"frozen"}), ElementsAre("frozen T/home/ws/.git EACCES"));
  EXPECT_THAT(lines(made, {"note"}), ElementsAre(HasSubstr("not in a writable path")));
}

TEST_F(PathPlanGit, ASymlinkedGitFolderInTheWorkspaceIsProtectedWhereItIs) {
  repository("home/ws");
  ASSERT_EQ(::rename(at("home/ws/.git").c_str(), at("home/ws/data").c_str()), 0);
  link("data", "home/ws/.git");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/home/ws/ -", "pin T/home/ws/data/ EBUSY",
                                      "read-only T/home/ws/data/config EROFS",
                                      "read-only T/home/ws/data/hooks/ EROFS"));
  EXPECT_THAT(lines(made, {"frozen"}), ElementsAre("frozen T/home/ws/.git EACCES"));
}

TEST_F(PathPlanGit, SymlinkedHooksAreProtectedAsLinkAndTarget) {
  repository("home/ws");
  test::run({"rm", "-r", at("home/ws/.git/hooks")});
  tree.make_dir("home/ws/tools/hooks");
  link("../tools/hooks", "home/ws/.git/hooks");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), Contains("read-only T/home/ws/tools/hooks/ EROFS"));
  EXPECT_THAT(lines(made, {"frozen"}), IsSupersetOf({"frozen T/home/ws/.git/hooks EACCES",
                                                     "frozen T/home/ws/tools EACCES"}));
}

TEST_F(PathPlanGit, SymlinkedDotfilesAreProtectedAsLinkAndTarget) {
  tree.write("home/ws/dotfiles/bashrc", "x");
  link("dotfiles/bashrc", "home/ws/.bashrc");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), Contains("read-only T/home/ws/dotfiles/bashrc EROFS"));
  EXPECT_THAT(lines(made, {"frozen"}), IsSupersetOf({"frozen T/home/ws/.bashrc EACCES",
                                                     "frozen T/home/ws/dotfiles EACCES"}));
}

TEST_F(PathPlanGit, ConfiguredHookFoldersAndIncludesAreProtected) {
  repository("home/ws");
  tree.write("home/ws/.husky/_/pre-commit", "x");
  git({"config", "core.hooksPath", ".husky/_"}, "home/ws");
  git({"config", "include.path", "../shared.gitconfig"}, "home/ws");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), Contains("read-only T/home/ws/.husky/_/ EROFS"));
  EXPECT_THAT(absent_in(made, "home/ws"), Contains("shared.gitconfig"));
  EXPECT_TRUE(writable(made, "home/ws/.husky/pre-commit"));
}

TEST_F(PathPlanGit, HooksInTheTopFolderLeaveTheRestWritable) {
  repository("home/ws");
  tree.write("home/.gitconfig", "[core]\n\thooksPath = .\n");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(absent_in(made, "home/ws"), IsSupersetOf({"pre-commit", "post-checkout"}));
  EXPECT_TRUE(writable(made, "home/ws/file"));
}

TEST_F(PathPlanGit, ABareRepositoryAsWorkspace) {
  bare_shape("home/ws");
  tree.write("home/ws/config", "");
  allow_write("home/ws");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/home/ws/ -", "read-only T/home/ws/config EROFS"));
  EXPECT_THAT(absent_in(made, "home/ws"), IsSupersetOf({"hooks", "commondir"}));
  EXPECT_THAT(absent_in(made, "home/ws"), Not(Contains("HEAD")));
}

TEST_F(PathPlanGit, AWritableRepositoryThatIsNoWorkspaceIsProtectedToo) {
  repository("home/other");
  allow_write("home/other");
  EXPECT_THAT(rows(plan()), ElementsAre("writable T/home/other/ -", "pin T/home/other/.git/ EBUSY",
                                        "read-only T/home/other/.git/config EROFS",
                                        "read-only T/home/other/.git/hooks/ EROFS"));
}

TEST_F(PathPlanGit, SeveralWorkspacesAreProtectedEach) {
  repository("home/ws");
  repository("two");
  host.workspaces.push_back(at("two"));
  allow_write("home/ws");
  allow_write("two");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsSupersetOf({"pin T/home/ws/.git/ EBUSY", "pin T/two/.git/ EBUSY"}));
  EXPECT_THAT(absent_in(made, "two"), Contains(".vscode"));
  EXPECT_THAT(made.repositories, ElementsAre(at("home/ws"), at("two")));
}

TEST_F(PathPlanGit, AWritableHomeKeepsWhatASessionExecutes) {
  host.workspaces = {at("home")};
  tree.write("home/.bashrc", "x");
  tree.make_dir("home/.config/fish");
  allow_write("home");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsSupersetOf({"read-only T/home/.bashrc EROFS",
                                        "read-only T/home/.config/fish/ EROFS"}));
  EXPECT_THAT(absent_in(made, "home"), IsSupersetOf({".ssh", ".profile"}));
  EXPECT_THAT(absent_in(made, "home/.config"), IsSupersetOf({"autostart", "systemd"}));
  EXPECT_THAT(lines(made, {"frozen"}), Contains("frozen T/home/.config EACCES"));
}

TEST_F(PathPlanGit, AProtectedFileWithANameInTheWorkspaceIsRefused) {
  repository("home/ws");
  hard_link("home/ws/.git/config", "home/ws/innocent");
  allow_write("home/ws");
  EXPECT_THAT(refusal(), HasSubstr("T/home/ws/.git/config has 2 names, and no rule speaks of "
                                   "T/home/ws/innocent"));
}

TEST_F(PathPlanGit, AFileInAProtectedFolderWithANameInTheWorkspaceIsRefused) {
  repository("home/ws");
  tree.write("home/ws/.git/hooks/pre-commit", "x");
  hard_link("home/ws/.git/hooks/pre-commit", "home/ws/innocent");
  allow_write("home/ws");
  EXPECT_THAT(refusal(), HasSubstr("no rule speaks of T/home/ws/innocent"));
}

}  // namespace
}  // namespace ward::confine
