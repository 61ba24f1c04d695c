// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Limits of a policy as `ward run` holds them, each with the same act below the limit as control.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/needs.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace ward {
namespace {

using ::testing::HasSubstr;

class LimitsTest : public ::testing::Test {
 protected:
  LimitsTest() {
    for (const char* const name : {"take_memory", "make_processes"}) {
      const std::string copy =
          folder_.write(std::string("work/") + name, test::read_text(test::case_program(name)));
      ::chmod(copy.c_str(), 0755);
    }
    folder_.make_dir("home");
  }

  // A command in the workspace, under the profile `workspace` with these limits.
  test::RunResult run(const std::string& limits, const std::vector<std::string>& command) {
    const std::string policy =
        folder_.write("policy.yaml", "version: 1\nextends: workspace\nlimits: {" + limits + "}\n");
    std::vector<std::string> arguments = {
        "run", "--policy", policy, "--result", folder_ / "result.json", "--"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    test::RunOptions options;
    options.cwd = folder_ / "work";
    options.env["HOME"] = folder_ / "home";
    return test::run_ward(arguments, options);
  }
  std::string result() { return test::read_text(folder_ / "result.json"); }

  // Why this user cannot have a cgroup here; empty if one can be had.
  std::string no_cgroup() {
    const test::RunResult tried = run("memory: 64MiB", {"true"});
    return tried.status == 125 && tried.err.find("own cgroup") != std::string::npos ? tried.err
                                                                                    : "";
  }

  test::TempDir folder_;
};

TEST_F(LimitsTest, MemoryOverTheLimitEndsTheRunAsOutOfMemory) {
  const test::Need own_cgroup = {"own_cgroup", [this] { return no_cgroup(); }};
  if (const std::string unmet = test::first_unmet({own_cgroup}); !unmet.empty())
    GTEST_SKIP() << "needs " << unmet;
  const test::RunResult over = run("memory: 32MiB", {"./take_memory", "64"});
  EXPECT_EQ(over.status, 122) << over.err;
  EXPECT_THAT(result(), HasSubstr("out-of-memory"));
  const test::RunResult below = run("memory: 128MiB", {"./take_memory", "64"});
  EXPECT_EQ(below.status, 0) << below.err;
  EXPECT_EQ(below.out, "took 64 MiB\n");
}

// The kernel may end one process only (cgroup v1 does): the run must not pass for one that worked.
TEST_F(LimitsTest, AChildOverTheMemoryLimitEndsTheWholeRun) {
  const test::Need own_cgroup = {"own_cgroup", [this] { return no_cgroup(); }};
  if (const std::string unmet = test::first_unmet({own_cgroup}); !unmet.empty())
    GTEST_SKIP() << "needs " << unmet;
  const std::vector<std::string> script = {
      "sh", "-c", "./take_memory 64 & wait; read line < never; echo went on"};
  ASSERT_EQ(::mkfifo((folder_ / "work/never").c_str(), 0600), 0);
  const test::RunResult over = run("memory: 32MiB", script);
  EXPECT_EQ(over.status, 122) << over.err;
  EXPECT_EQ(over.out, "");
  EXPECT_THAT(result(), HasSubstr("\"out-of-memory\""));
  const test::RunResult below =
      run("memory: 128MiB", {"sh", "-c", "./take_memory 64 & wait; echo went on"});
  EXPECT_EQ(below.status, 0) << below.err;
  EXPECT_THAT(below.out, HasSubstr("went on"));
}

TEST_F(LimitsTest, NoMoreProcessesThanTheLimitAreMade) {
  const test::RunResult over = run("pids: 3", {"./make_processes", "6"});
  EXPECT_EQ(over.status, 1) << over.err;
  EXPECT_EQ(over.out, "made 2 EAGAIN\n");
  const test::RunResult below = run("pids: 20", {"./make_processes", "6"});
  EXPECT_EQ(below.status, 0) << below.err;
  EXPECT_EQ(below.out, "made 6\n");
}

TEST_F(LimitsTest, OpenFilesAndFileSizeAreLimitsOfEachProcess) {
  const test::RunResult shown =
      run("openFiles: 64, fileSize: 1MiB", {"sh", "-c", "ulimit -n; ulimit -Hn; ulimit -f"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, ::testing::StartsWith("64\n64\n"));
  const test::RunResult over =
      run("fileSize: 1MiB", {"sh", "-c", "head -c 2000000 /dev/zero > big; echo $?"});
  EXPECT_THAT(over.out, ::testing::Not(::testing::StartsWith("0")));
  EXPECT_LE(test::read_text(folder_ / "work/big").size(), 1U << 20U);
}

TEST_F(LimitsTest, ALimitThatThisUserCannotHaveRunsNothingAndSaysHowToGetIt) {
  if (no_cgroup().empty()) GTEST_SKIP() << "needs no_own_cgroup: this user can have one";
  const test::RunResult refused = run("memory: 64MiB", {"touch", "ran"});
  EXPECT_EQ(refused.status, 125);
  EXPECT_THAT(refused.err, HasSubstr("limits.memory needs an own cgroup"));
  EXPECT_EQ(test::run({"test", "-e", folder_ / "work/ran"}).status, 1);
}

TEST_F(LimitsTest, ALimitThatNothingHereEnforcesIsRefused) {
  for (const char* const limit : {"disk: 1GiB", "netBandwidth: 1MiB/s"}) {
    const test::RunResult refused = run(limit, {"true"});
    EXPECT_EQ(refused.status, 125) << limit;
    EXPECT_THAT(refused.err, HasSubstr("limits.")) << limit;
  }
}

}  // namespace
}  // namespace ward
