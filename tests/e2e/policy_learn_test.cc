// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward policy learn`: what it prints lets the same command pass, and nothing it saw happened.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class PolicyLearn : public testing::Test {
 protected:
  void SetUp() override { NEEDS(user_namespaces, overlay_in_user_namespace); }
  RunResult learn(const std::string& script, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"policy", "learn"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", "/bin/sh", "-c", script});
    return run_ward(words, sandbox_.process_options());
  }
  Sandbox sandbox_;
};

TEST_F(PolicyLearn, ThePrintedPolicyLetsTheSameCommandPass) {
  sandbox_.home_file("data/one/old", "old\n");
  sandbox_.home_file(".tool/state", "state\n");
  sandbox_.workspace_file("build/old", "old\n");
  const std::string script =
      "set -e; echo n > build/new; mkdir build/deep; echo d > build/deep/d; echo s > "
      "~/.tool/state; "
      "echo x > ~/data/one/x; rm ~/data/one/old";
  // The control: the narrow profile alone stops it.
  sandbox_.options = {"--profile", "read-only"};
  EXPECT_NE(sandbox_.run(script).status, 0);

  RunResult learned = learn(script);
  EXPECT_EQ(learned.status, 0) << learned.err;
  EXPECT_FALSE(fs::exists(sandbox_.workspace() + "/build/new"));
  EXPECT_TRUE(fs::exists(sandbox_.home() + "/data/one/old"));
  EXPECT_THAT(learned.out, HasSubstr("- build  # "));
  EXPECT_THAT(learned.out, HasSubstr("- ~/.tool  # 1 name\n"));
  EXPECT_THAT(learned.out, HasSubstr("- ~/data/one  # 2 names\n"));
  EXPECT_THAT(learned.out, Not(HasSubstr("- ~\n")));

  sandbox_.options = {};
  sandbox_.set_policy(learned.out);
  SandboxResult run = sandbox_.run(script);
  EXPECT_EQ(run.status, 0) << run.err << learned.out;
  EXPECT_TRUE(fs::exists(sandbox_.workspace() + "/build/deep/d"));
  EXPECT_FALSE(fs::exists(sandbox_.home() + "/data/one/old"));
  // And no more than that.
  EXPECT_NE(sandbox_.run("echo x > other").status, 0);
  EXPECT_NE(sandbox_.run("echo x > ~/data/two").status, 0);
}

TEST_F(PolicyLearn, WhatIsReadBelowTheHomeFolderIsSuggested) {
  sandbox_.home_file("notes/a", "a note\n");
  sandbox_.home_file("notes/b", "another\n");
  sandbox_.home_file(".aws/credentials", "the key\n");
  RunResult learned = learn("cat ~/notes/a; cat ~/.aws/credentials; true");
  EXPECT_EQ(learned.status, 0) << learned.err;
  EXPECT_THAT(learned.err, HasSubstr("a note"));
  EXPECT_THAT(learned.out, HasSubstr("allowRead:\n    - ~/notes/a  # 1 name\n"));
  EXPECT_THAT(learned.out, Not(HasSubstr("- ~/.aws")));
  sandbox_.set_policy(learned.out);
  EXPECT_EQ(sandbox_.run("cat ~/notes/a").out, "a note\n");
  EXPECT_NE(sandbox_.run("cat ~/notes/b").status, 0);
}

TEST_F(PolicyLearn, SecretsStayDeniedAndAreNeverSuggested) {
  sandbox_.home_file(".ssh/id", "the key\n");
  RunResult learned = learn("cat ~/.ssh/id; echo x > ~/.ssh/new; echo evil > ~/.bashrc; exit 3");
  EXPECT_EQ(learned.status, 3);
  EXPECT_THAT(learned.err, Not(HasSubstr("the key")));
  EXPECT_THAT(learned.out, HasSubstr("# stays denied: read " + sandbox_.home() + "/.ssh/id"));
  EXPECT_THAT(learned.out, Not(HasSubstr("- ~/.ssh")));
  EXPECT_THAT(learned.out, Not(HasSubstr("- ~/.bashrc")));
  EXPECT_THAT(learned.out, HasSubstr("exited(3)"));
}

TEST_F(PolicyLearn, TheHomeFolderIsNeverSuggested) {
  RunResult learned = learn("mkdir ~/.newtool; echo x > ~/.newtool/x; echo y > ~/loose");
  EXPECT_EQ(learned.status, 0) << learned.err;
  EXPECT_THAT(learned.out, HasSubstr("# made " + sandbox_.home() + "/.newtool"));
  EXPECT_THAT(learned.out, HasSubstr("# made " + sandbox_.home() + "/loose"));
  EXPECT_THAT(learned.out, Not(HasSubstr("allowWrite")));
  EXPECT_FALSE(fs::exists(sandbox_.home() + "/loose"));
}

TEST_F(PolicyLearn, AskedForAddressesAreListedAndTheOutputIsTheDocumentAlone) {
  NEEDS(tool("python3"));
  RunResult learned = learn(
      "echo spoken; python3 -c \"import socket\ntry: socket.create_connection(('192.0.2.7', 443))\n"
      "except OSError: pass\"");
  EXPECT_EQ(learned.status, 0) << learned.err;
  EXPECT_THAT(learned.out, HasSubstr("# asked for the network: 192.0.2.7:443"));
  EXPECT_THAT(learned.out, Not(HasSubstr("spoken")));
  EXPECT_THAT(learned.err, HasSubstr("spoken"));
  std::string file = sandbox_.home() + "/learned.yaml";
  EXPECT_EQ(learn("true", {"-o", file}).out, "");
  EXPECT_THAT(read_text(file), HasSubstr("extends: read-only"));
}

// Places that no command holds and that `seen` does not name: other tests make some too, meanwhile.
std::set<std::string> left_behind(const std::set<std::string>& seen) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator("/var/tmp")) {
    const std::string path = entry.path();
    if (!path.starts_with("/var/tmp/ward-learn-") || seen.contains(path)) continue;
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_SH | LOCK_NB) == 0 && fs::exists(path)) found.insert(path);
    ::close(fd);
  }
  return found;
}

TEST_F(PolicyLearn, NothingOfWhatWasHeldIsLeft) {
  const std::set<std::string> before = left_behind({});
  learn("mkdir -m 0 x; echo y > y");
  learn("exec /nothing/there");
  EXPECT_THAT(left_behind(before), testing::IsEmpty());
}

// The place is found by the home folder that it holds, and its lock is waited for: it goes with the
// last process of the killed run.
TEST_F(PolicyLearn, WhatAKilledOneHeldIsGoneWithTheNext) {
  const std::string script = R"(
    mkfifo fifo
    "$0" policy learn -- sh -c 'mkdir -m 0 x; echo y > y; echo started; exec sleep 600' 2> fifo &
    read -r line < fifo
    place=$(grep -l "\"$HOME\"" /var/tmp/ward-learn-*/held/*/held.json 2>&- | cut -d / -f 1-4)
    kill -KILL $!
    wait $!
    test -d "$place" && flock "$place" true && test -d "$place" && echo "$line, left"
    "$0" policy learn -- true > learned
    test -d "$place" || echo gone
  )";
  RunOptions options = sandbox_.process_options();
  const RunResult result = test::run({"/bin/sh", "-c", script, ward_binary()}, options);
  EXPECT_EQ(result.out, "started, left\ngone\n") << result.err;
}

}  // namespace
}  // namespace ward::test
