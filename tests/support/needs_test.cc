// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "support/needs.h"

#include <gtest/gtest.h>

#include "support/process.h"
#include "support/temp_dir.h"

namespace ward::test {
namespace {

// One test a need: so the table at the end of a run lists what this machine lacks even where no
// other test asks for it, and CI notices when an expected one is gone.
TEST(Machine, HasUserNamespaces) { NEEDS(user_namespaces); }
TEST(Machine, HasOverlayInAUserNamespace) { NEEDS(overlay_in_user_namespace); }
TEST(Machine, HasSeccompNotifications) { NEEDS(seccomp_notify); }
TEST(Machine, HasLandlockWithRenames) { NEEDS(landlock_abi >= 2); }
TEST(Machine, HasLandlockWithScopes) { NEEDS(landlock_abi >= 6); }
TEST(Machine, HasUnixDiag) { NEEDS(unix_diag); }
TEST(Machine, HasWritableCgroupsV1) { NEEDS(cgroup_v1_writable); }
TEST(Machine, HasDelegatedCgroupV2) { NEEDS(cgroup_v2_delegated); }
TEST(Machine, HasPseudoTerminals) { NEEDS(pty); }

TEST(Needs, TheFirstUnmetNeedIsNamedWithItsReason) {
  const Need met{"met", [] { return ""; }};
  const Need unmet{"unmet", [] { return "because"; }};
  testing::internal::CaptureStdout();
  EXPECT_EQ(first_unmet({met, unmet}), "unmet: because");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "WARD-NEED unmet | because\n");
}

TEST(Run, KeepsOutputErrorAndStatusApart) {
  RunResult result = run({"sh", "-c", "cat; echo err >&2; exit 7"}, {.stdin_text = "in"});
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.out, "in");
  EXPECT_EQ(result.err, "err\n");
}

TEST(Run, ASignalShowsAsAShellShowsIt) {
  EXPECT_EQ(run({"sh", "-c", "kill -TERM $$"}).status, 143);
}

TEST(Run, AHangIsKilledAndReported) {
  RunResult result = run({"sleep", "1000"}, {.deadline = std::chrono::seconds(1)});
  EXPECT_TRUE(result.hung);
  EXPECT_EQ(result.status, 137);
}

TEST(TempDir, IsGoneAfterwardsWithFoldersThatLostTheirPermissions) {
  std::string path;
  {
    TempDir dir;
    path = dir.path();
    dir.write("a/b/c", "text");
    EXPECT_EQ(read_text(dir / "a/b/c"), "text");
    run({"chmod", "000", dir / "a/b"});
  }
  EXPECT_NE(run({"test", "-e", path}).status, 0);
}

}  // namespace
}  // namespace ward::test
