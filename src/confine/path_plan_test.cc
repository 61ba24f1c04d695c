// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/path_plan.h"

#include "confine/plan_fixture_test.h"
#include "support/needs.h"

namespace ward::confine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Rules alone: no workspace, so nothing is protected.
class PathPlanRules : public PlanFixture {
 protected:
  PathPlanRules() { host = {}; }
};

TEST_F(PathPlanRules, NestedRulesAlternateAtAnyDepth) {
  for (std::string_view name : {"a/f", "a/b/f", "a/b/c/f", "a/b/c/d/f", "a/b/c/d/e/f"})
    tree.write(name, "x");
  deny_read("a");
  allow_read("a/b");
  deny_read("a/b/c");
  allow_read("a/b/c/d");
  EXPECT_THAT(rows(plan()), ElementsAre("skeleton T/a/ EACCES", "  opened b/", "  stub f",
                                        "read-only T/a/b/ EROFS", "skeleton T/a/b/c/ EACCES",
                                        "  opened d/", "  stub f", "read-only T/a/b/c/d/ EROFS"));
}

TEST_F(PathPlanRules, WriteRulesAlternateToo) {
  tree.write("a/b/c/d/f", "x");
  allow_write("a");
  deny_write("a/b");
  allow_write("a/b/c");
  deny_write("a/b/c/d");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/a/ -", "read-only T/a/b/ EROFS",
                                      "writable T/a/b/c/ -", "read-only T/a/b/c/d/ EROFS"));
  EXPECT_THAT(made.frozen, IsEmpty());
}

TEST_F(PathPlanRules, AWriteGrantReopensReading) {
  tree.make_dir("a/b");
  deny_read("a");
  allow_write("a/b");
  EXPECT_THAT(rows(plan()),
              ElementsAre("skeleton T/a/ EACCES", "  opened b/", "writable T/a/b/ -"));
}

TEST_F(PathPlanRules, AWildcardDenyHoldsInsideAWiderAllow) {
  tree.write("a/.env", "x");
  tree.write("a/b/.env", "x");
  tree.write("a/b/g", "x");
  deny_read("a");
  allow_read("a/b");
  deny_read("a/**/.env");
  EXPECT_THAT(rows(plan()), ElementsAre("skeleton T/a/ EACCES", "  stub .env", "  opened b/",
                                        "read-only T/a/b/ EROFS", "hidden T/a/b/.env EACCES"));
}

TEST_F(PathPlanRules, SiblingsOfADeepReopenedFileAreStubsLevelByLevel) {
  tree.write("a/b/known", "x");
  tree.write("a/b/key", "x");
  tree.make_dir("a/other");
  deny_read("a");
  allow_read("a/b/known");
  EXPECT_THAT(rows(plan()), ElementsAre("skeleton T/a/ EACCES", "  opened b/", "  stub other/",
                                        "skeleton T/a/b/ EACCES", "  stub key", "  opened known",
                                        "read-only T/a/b/known EROFS"));
}

TEST_F(PathPlanRules, ADenyWinsATie) {
  tree.make_dir("a");
  deny_read("a");
  allow_read("a");
  allow_write("a");
  EXPECT_THAT(rows(plan()), ElementsAre("hidden T/a/ EACCES"));
}

TEST_F(PathPlanRules, AllowingWhatIsAllowedMakesNoRow) {
  tree.make_dir("a/b");
  allow_write("a");
  allow_write("a/b");
  allow_read("a/b");
  EXPECT_THAT(rows(plan()), ElementsAre("writable T/a/ -"));
}

TEST_F(PathPlanRules, DenyingWritesInAReadOnlyTreeMakesNoRow) {
  tree.make_dir("a");
  deny_write("a");
  deny_write("absent");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsEmpty());
  EXPECT_THAT(made.absent, IsEmpty());
  EXPECT_THAT(shown(made.text()),
              HasSubstr("note matches-nothing denyWrite absent (p:2): T/absent does not exist"));
}

TEST_F(PathPlanRules, LiteralWildcardCharactersAreOrdinary) {
  tree.write("a/[x]*?", "x");
  tree.write("a/x", "x");
  rule(policy::PathList::deny_read, "a/[x]*?").literal = true;
  EXPECT_THAT(rows(plan()), ElementsAre("hidden T/a/[x]*? EACCES"));
}

TEST_F(PathPlanRules, AnAbsentDeniedNameIsRefusedAtItsTopmostMissingFolder) {
  tree.make_dir("a/b");
  allow_write("a");
  deny_read("a/b/new/deep/secret");
  deny_write("a/b/new/deep/other");
  PathPlan made = plan();
  EXPECT_THAT(lines(made, {"absent", "frozen"}),
              ElementsAre("absent T/a/b/new EACCES", "frozen T/a/b EACCES"));
  ASSERT_EQ(made.absent.size(), 1U);
  struct stat status = {};
  ASSERT_EQ(::stat(at("a/b").c_str(), &status), 0);
  EXPECT_EQ(made.absent[0].parent_object, sys::object_id(status));
  EXPECT_THAT(made.notes, IsEmpty());
}

TEST_F(PathPlanRules, AbsentWriteGrants) {
  tree.make_dir("a");
  allow_write("a");
  allow_write("a/new");
  allow_write("b/new");
  PathPlan made = plan();
  EXPECT_THAT(lines(made, {"note"}),
              ElementsAre("note matches-nothing allowWrite b/new (p:3): T/b/new does not exist "
                          "(make it before the run)"));
  EXPECT_THAT(made.absent, IsEmpty());
}

TEST_F(PathPlanRules, FoldersOnTheWayToADeniedPathAreFrozen) {
  tree.write("a/b/c/secret", "x");
  allow_write("a");
  deny_read("a/b/c/secret");
  EXPECT_THAT(lines(plan(), {"frozen"}),
              ElementsAre("frozen T/a/b/c EACCES", "frozen T/a/b EACCES"));
}

TEST_F(PathPlanRules, FoldersAboveAMatchThatMovesWithThemAreNotFrozen) {
  tree.write("a/b/c/.env", "x");
  tree.write("a/b/c/x.key", "x");
  allow_write("a");
  deny_read("a/**/.env");
  EXPECT_THAT(plan().frozen, IsEmpty());
  deny_read("a/b/*/x.key");
  EXPECT_THAT(lines(plan(), {"frozen"}),
              ElementsAre("frozen T/a/b/c EACCES", "frozen T/a/b EACCES"));
}

TEST_F(PathPlanRules, AMatchBelowAFrozenPrefixFreezesThePrefix) {
  tree.write("a/b/c/.env", "x");
  allow_write("a");
  deny_read("a/b/**/.env");
  EXPECT_THAT(lines(plan(), {"frozen"}), ElementsAre("frozen T/a/b EACCES"));
}

TEST_F(PathPlanRules, LinkAndTargetAreBothProtected) {
  tree.write("real/secret", "x");
  tree.make_dir("a");
  allow_write("a");
  link("../real/secret", "a/secret");
  deny_read("a/secret");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/a/ -", "hidden T/real/secret EACCES"));
  EXPECT_THAT(lines(made, {"frozen"}), ElementsAre("frozen T/a/secret EACCES"));
}

TEST_F(PathPlanRules, AWildcardMatchThatIsALinkHidesItsTarget) {
  tree.write("real/secret", "x");
  tree.make_dir("a/b");
  allow_write("a");
  link("../../real/secret", "a/b/.env");
  deny_read("a/**/.env");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/a/ -", "hidden T/real/secret EACCES"));
  EXPECT_THAT(lines(made, {"frozen"}), Contains("frozen T/a/b/.env EACCES"));
  EXPECT_FALSE(made.rules->decide(at("real/secret")).read);
}

TEST_F(PathPlanRules, AWildcardBelowALinkIsFollowed) {
  tree.write("real/x/.env", "x");
  link("real", "short");
  deny_read("short/**/.env");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("hidden T/real/x/.env EACCES"));
  EXPECT_THAT(lines(made, {"glob"}), ElementsAre("glob T/real/**/.env EACCES"));
}

TEST_F(PathPlanRules, AWildcardThatAllowsFollowsNoLink) {
  tree.write("real/secret", "x");
  tree.make_dir("a/x");
  link("../../real", "a/x/build");
  allow_write("a/*/build");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), IsEmpty());
  EXPECT_FALSE(made.rules->decide(at("real/secret")).write);
}

// An earlier run had the folder writable and put a link there.
TEST_F(PathPlanRules, AnAllowThroughALinkThatASandboxCouldMakeGrantsNothing) {
  tree.make_dir("real");
  tree.make_dir("a");
  link("../real", "a/build");
  allow_write("a");
  allow_write("a/build");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/a/ -"));
  EXPECT_THAT(lines(made, {"note"}), Contains(HasSubstr("a/build, which a sandboxed command")));
}

TEST_F(PathPlanRules, AnAllowThroughALinkOfThePersonIsFollowed) {
  tree.make_dir("real/cache");
  tree.make_dir("a");
  link("../real", "a/link");
  allow_write("a/link/cache");
  EXPECT_THAT(rows(plan()), ElementsAre("writable T/real/cache/ -"));
}

TEST_F(PathPlanRules, ABrokenLinkIsKeptAndItsTargetCannotBeMade) {
  tree.make_dir("a");
  allow_write("a");
  link("nowhere", "a/secret");
  deny_read("a/secret");
  EXPECT_THAT(lines(plan(), {"absent", "frozen"}),
              ElementsAre("absent T/a/nowhere EACCES", "frozen T/a/secret EACCES"));
}

TEST_F(PathPlanRules, ALoopOfLinksIsReportedAndEachLinkKept) {
  tree.make_dir("a");
  allow_write("a");
  link("two", "a/one");
  link("one", "a/two");
  deny_read("a/one/secret");
  tree.write("b", "x");
  deny_read("b");
  PathPlan made = plan();
  EXPECT_THAT(lines(made, {"frozen"}),
              UnorderedElementsAre("frozen T/a/one EACCES", "frozen T/a/two EACCES"));
  EXPECT_THAT(lines(made, {"note"}), ElementsAre(HasSubstr("lead in a circle")));
  EXPECT_THAT(rows(made), Contains("hidden T/b EACCES"));
}

TEST_F(PathPlanRules, APathThroughAFileKeepsTheFileAFile) {
  tree.write("a/file", "x");
  allow_write("a");
  deny_write("a/file/below");
  PathPlan made = plan();
  EXPECT_THAT(lines(made, {"frozen"}), ElementsAre("frozen T/a/file EACCES"));
  EXPECT_THAT(lines(made, {"note"}), ElementsAre(HasSubstr("T/a/file is not a folder")));
}

// root searches any folder, so this speaks for ordinary users only.
TEST_F(PathPlanRules, AFolderThatCannotBeSearchedIsDeniedAsAWhole) {
  NEEDS(ordinary_user);  // root searches every folder
  tree.write("a/closed/x/secret", "x");
  tree.write("b", "x");
  deny_read("a/closed/x/secret");
  deny_read("b");
  ASSERT_EQ(::chmod(at("a/closed").c_str(), 0), 0);
  PathPlan made = plan();
  ASSERT_EQ(::chmod(at("a/closed").c_str(), 0700), 0);
  EXPECT_THAT(rows(made), ElementsAre("hidden T/a/closed/ EACCES", "hidden T/b EACCES"));
  EXPECT_THAT(lines(made, {"note"}), ElementsAre(HasSubstr("may not be searched")));
}

TEST_F(PathPlanRules, AFolderThatCannotBeListedIsDeniedWhereAWildcardLooksIntoIt) {
  NEEDS(ordinary_user);  // root lists every folder
  tree.write("a/closed/.env", "x");
  deny_read("a/**/.env");
  ASSERT_EQ(::chmod(at("a/closed").c_str(), 0100), 0);
  PathPlan made = plan();
  ASSERT_EQ(::chmod(at("a/closed").c_str(), 0700), 0);
  EXPECT_THAT(rows(made), ElementsAre("hidden T/a/closed/ EACCES"));
}

TEST_F(PathPlanRules, OneObjectUnderTwoListedNamesGetsTheStricterVerdict) {
  tree.write("a/secret", "x");
  tree.make_dir("b");
  hard_link("a/secret", "b/known");
  deny_read("a/secret");
  allow_write("b/known");
  EXPECT_THAT(rows(plan()), ElementsAre("hidden T/a/secret EACCES", "hidden T/b/known EACCES"));
}

TEST_F(PathPlanRules, AHiddenFileWithAnotherNameIsRefusedByName) {
  tree.write("a/secret", "x");
  tree.make_dir("a/b");
  hard_link("a/secret", "a/b/other");
  deny_read("a/secret");
  EXPECT_THAT(refusal(), HasSubstr("T/a/secret has 2 names, and no rule speaks of T/a/b/other"));
}

TEST_F(PathPlanRules, AHiddenFileWhoseOtherNameIsNotFoundIsRefused) {
  tree.write("a/secret", "x");
  tree.make_dir("elsewhere");
  hard_link("a/secret", "elsewhere/other");
  deny_read("a/secret");
  EXPECT_THAT(refusal(), HasSubstr("T/a/secret has 2 names, of which only 1 were found"));
}

TEST_F(PathPlanRules, AReadOnlyFileWithANameInAWritableFolderIsRefused) {
  tree.write("a/kept", "x");
  tree.make_dir("a/b");
  hard_link("a/kept", "a/b/other");
  allow_write("a");
  deny_write("a/kept");
  EXPECT_THAT(refusal(), HasSubstr("no rule speaks of T/a/b/other"));
}

TEST_F(PathPlanRules, AReadOnlyFileWhoseOtherNameCannotBeWrittenIsFine) {
  tree.write("a/kept", "x");
  tree.make_dir("backup");
  hard_link("a/kept", "backup/kept");
  allow_write("a");
  deny_write("a/kept");
  EXPECT_THAT(rows(plan()), ElementsAre("writable T/a/ -", "read-only T/a/kept EROFS"));
}

TEST_F(PathPlanRules, DefaultDenyShowsTheAllowedSetAndWhatProgramsNeed) {
  tree.write("a/b/f", "x");
  filesystem.default_access = policy::DefaultAccess::deny;
  allow_read("a/b");
  PathPlan made = plan();
  ASSERT_FALSE(made.rows.empty());
  EXPECT_EQ(made.rows[0].path, "/");
  EXPECT_EQ(made.rows[0].action, Action::skeleton);
  std::vector<std::string> all = rows(made);
  EXPECT_THAT(all, Contains("read-only /usr/ EROFS"));
  EXPECT_THAT(all, Contains("  opened usr/"));
  EXPECT_THAT(all, Contains("skeleton T/a/ EACCES"));
  EXPECT_THAT(all, Contains("read-only T/a/b/ EROFS"));
  EXPECT_FALSE(made.rules->decide("/etc/shadow").read);
  EXPECT_TRUE(made.rules->decide("/usr/bin/env").read);
}

TEST_F(PathPlanRules, DefaultDenyKeepsAllowedLinks) {
  tree.make_dir("real");
  link("real", "short");
  filesystem.default_access = policy::DefaultAccess::deny;
  allow_read("short");
  std::vector<std::string> all = rows(plan());
  EXPECT_THAT(all, Contains("  link short -> real"));
  EXPECT_THAT(all, Contains("read-only T/real/ EROFS"));
}

TEST_F(PathPlanRules, DefaultDenyOpensPrivateFolders) {
  filesystem.default_access = policy::DefaultAccess::deny;
  host.private_folders = {tree.make_dir("x/tmp")};
  EXPECT_THAT(rows(plan()), Contains("  opened tmp/"));
}

TEST_F(PathPlanRules, OnlyWhatIsReopenedOfAPrivateFolderIsThere) {
  tree.write("tmp/ws/f", "x");
  tree.write("tmp/ws/.env", "x");
  tree.write("tmp/other", "x");
  host.private_folders = {at("tmp")};
  deny_read("tmp/other");
  deny_write("tmp/new");
  allow_write("tmp/ws");
  deny_read("tmp/ws/.env");
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/tmp/ws/ -", "hidden T/tmp/ws/.env EACCES"));
  EXPECT_TRUE(made.rows[0].below_private);
  EXPECT_THAT(made.absent, IsEmpty());
  EXPECT_TRUE(made.rules->decide(at("tmp/other")).write);
  EXPECT_FALSE(made.rules->decide(at("tmp/ws/.env")).read);
  EXPECT_TRUE(made.rules->decide(at("tmp/ws/f")).write);
}

TEST_F(PathPlanRules, AWorkspaceInAPrivateFolderStaysVisible) {
  tree.make_dir("tmp/ws");
  host.private_folders = {at("tmp")};
  host.workspaces = {at("tmp/ws")};
  host.cwd = at("tmp/ws");
  EXPECT_THAT(rows(plan()), ElementsAre("read-only T/tmp/ws/ EROFS"));
}

TEST_F(PathPlanRules, AWorkingDirectoryThatIsNotThereInsideIsRefused) {
  tree.make_dir("tmp/here");
  host.private_folders = {at("tmp")};
  host.cwd = at("tmp/here");
  EXPECT_THAT(refusal(), HasSubstr("working directory T/tmp/here is not there inside"));
}

TEST_F(PathPlanRules, AHiddenWorkingDirectoryIsRefused) {
  tree.make_dir("a/here");
  host.cwd = at("a/here");
  deny_read("a");
  EXPECT_THAT(refusal(), HasSubstr("working directory T/a/here is hidden by denyRead a (p:1)"));
}

TEST_F(PathPlanRules, NoPolicyOpensWardsOwnFolders) {
  tree.make_dir("a/state/runs");
  host.ward_paths = {at("a/state"), at("a/later")};
  allow_write("a");
  allow_write("a/state");
  rule(policy::PathList::allow_write, "a/state/runs", policy::Scope::managed);
  PathPlan made = plan();
  EXPECT_THAT(rows(made), ElementsAre("writable T/a/ -", "hidden T/a/state/ EACCES"));
  EXPECT_THAT(lines(made, {"absent"}), ElementsAre("absent T/a/later EACCES"));
  EXPECT_FALSE(made.rules->decide(at("a/state/runs/x")).read);
  EXPECT_THAT(lines(made, {"note"}), Contains(HasSubstr("no-effect allowWrite a/state/runs")));
}

TEST_F(PathPlanRules, AWorkspaceInWardsOwnFolderIsRefused) {
  host.workspaces = {tree.make_dir("state/ws")};
  host.ward_paths = {at("state")};
  EXPECT_THAT(refusal(), HasSubstr("which is Ward's own"));
}

TEST_F(PathPlanRules, AnAbsentReopenedNameIsAbsentAndNotDenied) {
  tree.write("a/conf/other/token", "x");
  tree.write("a/key", "x");
  deny_read("a");
  allow_read("a/conf/tool");
  EXPECT_THAT(rows(plan()), ElementsAre("skeleton T/a/ EACCES", "  opened conf/", "  stub key",
                                        "skeleton T/a/conf/ EACCES", "  stub other/"));
}

TEST_F(PathPlanRules, ADocumentsEntryGoesBeforeTheProfiles) {
  tree.write("a/file", "x");
  deny_read("a");
  filesystem.rules.back().origin.file = "profile workspace";
  allow_read("a");
  EXPECT_THAT(rows(plan()), testing::IsEmpty());
}

TEST_F(PathPlanRules, WardsProgramMayHaveOtherNamesThatAreReadOnly) {
  tree.write("bin/ward", "program");
  tree.make_dir("store");
  hard_link("bin/ward", "store/ward");
  host.ward_paths = {at("bin/ward")};
  EXPECT_THAT(rows(plan()), Contains("hidden T/bin/ward EACCES"));
  allow_write("store");
  EXPECT_THAT(refusal(), HasSubstr("store/ward"));
}

// Root's home folder is closed to others: the tree of these tests is in the other place.
struct NotAtHome {
  NotAtHome() { ::setenv("HOME", "/nonexistent", 1); }
};
class PathPlanOfAnotherUser : private NotAtHome, public PathPlanRules {};

// As it is where root installs it and equal files share their content: nothing to search for.
TEST_F(PathPlanOfAnotherUser, WhatTheUserCannotWriteMayHaveOtherNamesInWritableFolders) {
  NEEDS(root);
  tree.write("bin/ward", "program");
  tree.make_dir("store");
  hard_link("bin/ward", "store/ward");
  host.ward_paths = {at("bin/ward")};
  allow_write("store");
  EXPECT_THAT(refusal(), HasSubstr("store/ward"));  // root can write it
  for (const char* folder : {"", "bin", "store"}) ::chmod(at(folder).c_str(), 0755);
  ::chmod(at("bin/ward").c_str(), 0755);
  ASSERT_EQ(::seteuid(65533), 0);
  EXPECT_THAT(rows(plan()), Contains("hidden T/bin/ward EACCES"));
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_EQ(::chown(at("bin/ward").c_str(), 65533, 0), 0);
  ASSERT_EQ(::seteuid(65533), 0);
  EXPECT_THAT(refusal(), HasSubstr("store/ward"));  // who owns it can make it writable
  ASSERT_EQ(::seteuid(0), 0);
}

TEST_F(PathPlanRules, ADenyOfAHigherScopeIsFinal) {
  tree.make_dir("a/b");
  rule(policy::PathList::deny_read, "a", policy::Scope::managed);
  rule(policy::PathList::allow_write, "a/b", policy::Scope::user);
  EXPECT_THAT(rows(plan()), ElementsAre("hidden T/a/ EACCES"));
}

TEST_F(PathPlanRules, TenThousandMasksAreTenThousandRows) {
  for (int folder = 0; folder < 100; ++folder)
    tree.write("a/" + std::to_string(folder) + "/.env", "x");
  for (int file = 0; file < 9900; ++file) {
    std::string path = at("a/" + std::to_string(file % 100) + "/" + std::to_string(file) + ".key");
    ASSERT_EQ(::mknod(path.c_str(), S_IFREG | 0600, 0), 0);
  }
  allow_write("a");
  deny_read("a/**/.env");
  deny_read("a/*/*.key");
  PathPlan made = plan();
  ASSERT_EQ(made.rows.size(), 10001U);
  EXPECT_EQ(made.frozen.size(), 100U);
  for (std::size_t i = 1; i < made.rows.size(); ++i) EXPECT_EQ(made.rows[i].action, Action::hidden);
}

TEST_F(PathPlanRules, TextEscapesWhatWouldBreakALine) {
  tree.write("a\nb", "x");
  deny_read("a\nb");
  EXPECT_THAT(shown(plan().text()),
              HasSubstr("hidden T/a\\x0ab EACCES # denyRead a\\x0ab (p:1)\n"));
}

}  // namespace
}  // namespace ward::confine
