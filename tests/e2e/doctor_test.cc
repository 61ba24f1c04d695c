// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/needs.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace ward {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DoctorTest : public ::testing::Test {
 protected:
  test::RunResult doctor(const std::vector<std::string>& arguments) {
    test::RunOptions options;
    options.cwd = folder_.make_dir("work");
    options.env["HOME"] = folder_.make_dir("home");
    return test::run_ward(arguments, options);
  }
  test::TempDir folder_;
};

TEST_F(DoctorTest, WhereRunWorksTheSelfTestPassesAndTheStatusIsZero) {
  NEEDS(user_namespaces, seccomp_notify);
  const test::RunResult text = doctor({"doctor"});
  EXPECT_EQ(text.status, 0) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("process    works\n"));
  EXPECT_THAT(text.out, HasSubstr("microvm    not in this version\n"));
  EXPECT_THAT(text.out, HasSubstr("self-test  passed\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("\x1b")));
  const test::RunResult json = doctor({"doctor", "--json"});
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.out, ::testing::StartsWith("{\"healthy\":true,"));
  EXPECT_THAT(json.out, HasSubstr("\"selfTest\":{\"passed\":true}"));
}

TEST_F(DoctorTest, TheSelfTestPassesInTheHomeFolderToo) {
  NEEDS(user_namespaces, seccomp_notify);
  test::RunOptions options;
  options.cwd = folder_.make_dir("home");
  options.env["HOME"] = options.cwd;
  const test::RunResult text = test::run_ward({"doctor"}, options);
  EXPECT_EQ(text.status, 0) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("self-test  passed\n"));
}

// The maximum is one of an own user namespace, so the machine itself stays as it is.
TEST_F(DoctorTest, WithoutUserNamespacesTheCauseAndTheCommandThatAllowsThemAreNamed) {
  NEEDS(user_namespaces);
  const std::string forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
  const auto forbidden = [&](std::vector<std::string> command) {
    std::vector<std::string> words = {"unshare", "--user", "--map-root-user", "sh", "-c", forbid};
    words.insert(words.end(), command.begin(), command.end());
    test::RunOptions options;
    options.cwd = folder_.make_dir("work");
    options.env["HOME"] = folder_.make_dir("home");
    return test::run(words, options);
  };
  const test::RunResult told = forbidden({test::ward_binary(), "doctor"});
  EXPECT_EQ(told.status, 1) << told.err;
  EXPECT_THAT(told.out, HasSubstr("process    unavailable\n"));
  EXPECT_THAT(told.out, HasSubstr("user.max_user_namespaces is 0"));
  EXPECT_THAT(told.out, HasSubstr("sysctl -w user.max_user_namespaces="));
  EXPECT_THAT(told.out, HasSubstr("self-test  FAILED\n"));
  const test::RunResult refused = forbidden({test::ward_binary(), "run", "--", "touch", "ran"});
  EXPECT_EQ(refused.status, 125) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("user.max_user_namespaces is 0"));
  EXPECT_EQ(test::run({"test", "-e", folder_ / "work/ran"}).status, 1);
}

}  // namespace
}  // namespace ward
