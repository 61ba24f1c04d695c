// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/creation_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "confine/caller_view.h"
#include "confine/connect_broker.h"
#include "confine/path_call.h"

namespace ward::confine {
namespace {

constexpr sys::ObjectId kGit{1, 10}, kOther{1, 11};

CreationGuard guard() {
  PathPlan plan;
  plan.absent = {{"/w/.git", kGit, "hooks", "rule a"}};
  plan.frozen = {{"/w", kOther, "way", {1, 12}, "rule f"}};
  plan.deny_globs = {{"/w/**/.env", policy::PathList::deny_read, "rule g"},
                     {"/w/**/*.pem", policy::PathList::deny_read, "rule p"}};
  return {plan, {"/tmp"}};
}

TEST(CreationGuard, KnowsTheNamesThatAnyRuleSpeaksOf) {
  for (const char* name : {"hooks", "way", ".env", "x.pem", ".pem", "HOOKS", ".ENV"})
    EXPECT_TRUE(guard().concerns(name)) << name;
  for (const char* name : {"hook", "hooks2", "env", "x.pem2", "", "."})
    EXPECT_FALSE(guard().concerns(name)) << name;
}

TEST(CreationGuard, AnAbsentNameIsProtectedByItsFoldersObjectAndByItsPath) {
  EXPECT_TRUE(guard().creation({kGit, "/w/moved"}, "hooks"));
  EXPECT_TRUE(guard().creation({kOther, "/w/.git"}, "hooks"));
  EXPECT_TRUE(guard().creation({kGit, ""}, "hooks")) << "even where the folder has no path";
  EXPECT_FALSE(guard().creation({kOther, "/w/x"}, "hooks"));
  EXPECT_EQ(guard().creation({kGit, "/w/.git"}, "hooks")->rule, "rule a");
}

TEST(CreationGuard, CaseCountsOnlyWhereTheFileSystemSaysSo) {
  EXPECT_FALSE(guard().creation({kGit, "/w/.git", false}, "Hooks"));
  EXPECT_TRUE(guard().creation({kGit, "/w/.git", true}, "Hooks"));
  EXPECT_TRUE(guard().creation({{2, 2}, "/W/.GIT", true}, "HOOKS"));
}

TEST(CreationGuard, AFrozenNameIsNeitherRemovedNorMadeAnew) {
  EXPECT_TRUE(guard().removal({kOther, "/w"}, "way"));
  EXPECT_TRUE(guard().creation({{9, 9}, "/w"}, "way"));
  EXPECT_FALSE(guard().removal({kOther, "/w"}, "other"));
}

TEST(NameMatch, IsNeverFalseForARealMatch) {
  EXPECT_TRUE(may_match("*.pem", "a.pem"));
  EXPECT_TRUE(may_match("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(may_match("id_?sa", "id_rsa"));
  EXPECT_TRUE(may_match("*", "anything"));
  EXPECT_TRUE(may_match("**", ""));
  EXPECT_TRUE(may_match("k[a-c]y", "kay")) << "brackets are not understood, so they match";
  EXPECT_FALSE(may_match("*.pem", "a.pen"));
  EXPECT_FALSE(may_match("a?c", "ac"));
}

TEST(LastComponent, IsWhatACreatingCallWouldMake) {
  EXPECT_EQ(last_component("a/b"), "b");
  EXPECT_EQ(last_component("/a/b///"), "b");
  EXPECT_EQ(last_component("b"), "b");
  EXPECT_EQ(last_component("///"), "");
  EXPECT_EQ(last_component(""), "");
}

TEST(PathCall, OldAndNewFormsAreTheSameCall) {
  struct seccomp_data data = {};
  data.nr = SYS_renameat2;
  data.args[0] = 0xffffffff00000005U;  // the upper half of a descriptor counts for nothing
  data.args[1] = 0x1000;
  data.args[2] = static_cast<std::uint64_t>(AT_FDCWD);
  data.args[3] = 0x2000;
  data.args[4] = 2;
  auto call = decode_path_call(data);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->kind, PathCall::Kind::rename);
  EXPECT_EQ(call->first.dirfd, 5);
  EXPECT_EQ(call->second.dirfd, AT_FDCWD);
  EXPECT_EQ(call->second.address, 0x2000U);
  EXPECT_EQ(call->flags, 2);
  data.nr = SYS_read;
  EXPECT_FALSE(decode_path_call(data));
}

TEST(PathCall, AnOpenOfAPathAloneCreatesNothing) {
  PathCall call;
  call.flags = O_CREAT | O_WRONLY;
  EXPECT_TRUE(may_create(call));
  call.flags = O_CREAT | O_PATH;
  EXPECT_FALSE(may_create(call));
  call.flags = O_WRONLY | O_TRUNC;
  EXPECT_FALSE(may_create(call));
}

TEST(UnixAddress, HasAPathOnlyWhereTheKernelSeesOne) {
  auto address = [](const std::string& path) { return std::string("\1\0", 2) + path; };
  EXPECT_EQ(path_of_address(address("/a\0junk")), "/a");
  EXPECT_EQ(path_of_address(address(std::string(108, 'x'))), std::string(108, 'x'));
  EXPECT_FALSE(path_of_address(address(std::string("\0abstract", 9))));
  EXPECT_FALSE(path_of_address(address("")));
  EXPECT_FALSE(path_of_address(address(std::string(109, 'x')))) << "too long for the kernel";
  EXPECT_FALSE(path_of_address(std::string("\2\0/a", 4))) << "another family";
}

}  // namespace
}  // namespace ward::confine
