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

// The managed file of a mount namespace of its own: the machine's /etc stays as it is.
constexpr const char* kWithManagedFile = R"(
set -e
mount -t tmpfs none "$1"
mkdir -p "$1/upper/ward" "$1/work"
printf 'version: 1\nfilesystem: {denyRead: [secret]}\n' > "$1/upper/ward/managed.yaml"
mount -t overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" none /etc
eval "$2"
shift 2
exec "$@"
)";

class ManagedPolicy : public ::testing::Test {
 protected:
  test::RunResult read_secret(const std::string& change) {
    folder_.write("work/secret", "told\n");
    test::RunOptions options;
    options.cwd = folder_ / "work";
    options.env["HOME"] = folder_.make_dir("home");
    return test::run(
        {"unshare", "--mount", "sh", "-c", kWithManagedFile, "sh", folder_.make_dir("etc"), change,
         test::ward_binary(), "run", "--", "cat", "secret"},
        options);
  }
  test::TempDir folder_;
};

TEST_F(ManagedPolicy, IsInForceWhereItIsRoots) {
  NEEDS(root, user_namespaces);
  EXPECT_EQ(read_secret("rm -r /etc/ward").out, "told\n");
  const test::RunResult denied = read_secret(":");
  EXPECT_EQ(denied.status, 1) << denied.err;
  EXPECT_EQ(denied.out, "");
}

TEST_F(ManagedPolicy, ThatAnotherCanWriteStopsEveryRun) {
  NEEDS(root, user_namespaces);
  for (const char* change : {"chmod o+w /etc/ward/managed.yaml", "chown 12345 /etc/ward",
                             "rm /etc/ward/managed.yaml; chmod g+w /etc/ward"}) {
    const test::RunResult refused = read_secret(change);
    EXPECT_EQ(refused.status, 125) << change << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("cannot hold a managed policy"));
    EXPECT_THAT(refused.err, HasSubstr("chown root"));
  }
}

}  // namespace
}  // namespace ward
