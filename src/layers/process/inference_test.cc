// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/inference.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temp_dir.h"

namespace ward::process {
namespace {

using confine::Denial;
using Hints = std::vector<std::string>;

// A home folder with a workspace in it, which alone is writable; ~/hidden may not be read.
class InferenceTest : public ::testing::Test {
 protected:
  InferenceTest() {
    tree_.make_dir("home/ws");
    tree_.make_dir("home/hidden");
    tree_.write("home/open", "");
    add(policy::PathList::allow_write, "home/ws");
    add(policy::PathList::deny_read, "home/hidden");
    confine::HostContext host;
    host.home = tree_ / "home";
    host.cwd = tree_ / "home/ws";
    host.workspaces = {host.cwd};
    Result<confine::PathPlan> plan = confine::plan_paths(filesystem_, host);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().describe());
    if (plan) plan_ = std::move(*plan);
  }
  void add(policy::PathList list, const std::string& name) {
    policy::PathRule rule;
    rule.list = list;
    rule.literal = true;
    rule.pattern = tree_ / name;
    rule.written = name;
    rule.origin = {.file = "p", .line = 1, .scope = policy::Scope::user};
    filesystem_.rules.push_back(std::move(rule));
  }
  // "ACT PATH" of each hint, with T for the tree.
  Hints hints(std::string output) {
    for (std::size_t at = output.find("T/"); at != std::string::npos; at = output.find("T/", at))
      output.replace(at, 1, tree_.path());
    Hints out;
    for (const Denial& denial :
         infer_denials(output, {tree_ / "home/ws", tree_ / "home", plan_.rules.get()})) {
      EXPECT_FALSE(denial.exact);
      EXPECT_FALSE(denial.rule.empty());
      std::string target = denial.target;
      if (target.starts_with(tree_.path())) target = "T" + target.substr(tree_.path().size());
      out.push_back(std::string(to_string(denial.act)) + " " + target);
    }
    return out;
  }

  test::TempDir tree_;
  policy::Filesystem filesystem_;
  confine::PathPlan plan_;
};

TEST_F(InferenceTest, APathIsFoundInTheWaysProgramsPrintIt) {
  const Hints hidden = {"read T/home/hidden/key"};
  for (const char* line : {
           "cat: T/home/hidden/key: Permission denied",
           "cat: ../hidden/key: Permission denied",
           "bash: line 3: T/home/hidden/key: Permission denied",
           "sh: 1: cannot open T/home/hidden/key: Permission denied",
           "PermissionError: [Errno 13] Permission denied: 'T/home/hidden/key'",
           "Error: EACCES: permission denied, open 'T/home/hidden/key'",
           "fatal: could not open '~/hidden/key' for reading: Permission denied",
           "ls: cannot open directory \xe2\x80\x98T/home/hidden/key\xe2\x80\x99: Permission denied",
           "java.nio.file.AccessDeniedException: T/home/hidden/key",
           "\x1b[31merror\x1b[0m: open \x1b[1mT/home/hidden/key\x1b[0m: permission denied",
       })
    EXPECT_EQ(hints(line), hidden) << line;
  EXPECT_EQ(hints("touch: cannot touch '../new': Read-only file system"),
            (Hints{"create T/home/new"}));
  EXPECT_EQ(hints("sh: 1: cannot create T/home/open: Read-only file system"),
            (Hints{"write T/home/open"}));
  EXPECT_EQ(hints("mv: cannot move 'T/home/open' to 'x': Device or resource busy"),
            (Hints{"rename T/home/open"}));
}

TEST_F(InferenceTest, WhatThePolicyAllowsIsNoDenial) {
  EXPECT_EQ(hints("cat: T/home/open: Permission denied\n"
                  "touch: cannot touch 'file': Read-only file system\n"
                  "sudo: T/home/ws/x: Operation not permitted\n"
                  "cat: T/home/hidden/key: No such file or directory\n"
                  "T/home/hidden/key\n"),
            Hints{});
}

TEST_F(InferenceTest, LinksLeadToWhatIsDenied) {
  ASSERT_EQ(::symlink((tree_ / "home/hidden").c_str(), (tree_ / "home/ws/link").c_str()), 0);
  EXPECT_EQ(hints("cat: link/key: Permission denied"), (Hints{"read T/home/hidden/key"}));
}

TEST_F(InferenceTest, NamesThatCouldNotBeResolvedAreHints) {
  for (const char* line : {
           "curl: (6) Could not resolve host: example.com",
           "fatal: unable to access 'https://example.com/r/': Could not resolve host: example.com",
           "ssh: Could not resolve hostname example.com: Temporary failure in name resolution",
           "npm error getaddrinfo EAI_AGAIN example.com",
           "Error: getaddrinfo ENOTFOUND example.com",
           "ping: example.com: Temporary failure in name resolution",
           "wget: unable to resolve host address 'example.com'",
           "java.net.UnknownHostException: example.com",
           "dial tcp: lookup example.com: no such host",
       })
    EXPECT_EQ(hints(line), (Hints{"name example.com"})) << line;
  EXPECT_EQ(hints("socket.gaierror: [Errno -3] Temporary failure in name resolution"),
            (Hints{"name a host name"}));
}

TEST_F(InferenceTest, HostileOutputIsBounded) {
  std::string output;
  for (int i = 0; i < 2000; ++i)
    output += "x: T/home/hidden/" + std::to_string(i) + ": Permission denied\n";
  EXPECT_EQ(hints(output).size(), kMaxInferred);
  std::string longest;
  for (const char c : {'a', '/', ' ', '\''}) {
    longest.assign(1U << 20U, c);
    longest += ": Permission denied";
    EXPECT_EQ(hints(longest), Hints{});
  }
  EXPECT_EQ(hints("\x1b[\x1b[\x1b[ '\"\"``::: \x01 \xff\xfe Permission denied"), Hints{});
  std::string words = "Permission denied";
  for (int i = 0; i < 400; ++i) words += " ../../../../../../../a" + std::to_string(i);
  EXPECT_EQ(hints(words), Hints{});
}

}  // namespace
}  // namespace ward::process
