// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward policy learn`: what it prints lets the same command pass, and nothing it saw happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/needs.h"
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

TEST_F(PolicyLearn, NothingOfWhatWasHeldIsLeft) {
  auto count = [] {
    std::size_t found = 0;
    for (const auto& entry : fs::directory_iterator("/var/tmp"))
      if (entry.path().filename().string().starts_with("ward-learn-")) ++found;
    return found;
  };
  const std::size_t before = count();
  learn("mkdir -m 0 x; echo y > y");
  learn("exec /nothing/there");
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace ward::test
