// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// How the result names what was denied: exactly and completely with --trace, and otherwise as hints
// from what a failed command printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Lines = std::vector<std::string>;

class Denials : public testing::Test {
 protected:
  void SetUp() override {
    NEEDS(user_namespaces, seccomp_notify);
    policy("guard");
    sandbox_.home_file("secret/key", "the key\n");
    sandbox_.home_file("closed/file", "");
  }
  void policy(const std::string& mechanism) {
    sandbox_.set_policy(
        "version: 1\nextends: workspace\nfilesystem:\n  allowRead: [~/closed]\n"
        "  denyRead: [~/secret]\n  protect: " +
        mechanism + "\n");
  }
  // "ACT PATH", ~ for the home folder. Every one names a rule.
  Lines lines(const SandboxResult& result) const {
    Lines out;
    for (const nlohmann::json& denial : result.report.at("denials").at("list")) {
      std::string target = denial.at("target");
      if (target.starts_with(sandbox_.home())) target = "~" + target.substr(sandbox_.home().size());
      out.push_back(std::string(denial.at("act")) + " " + target);
      EXPECT_NE(denial.at("rule"), "") << target;
    }
    return out;
  }

  Sandbox sandbox_;
};

TEST_F(Denials, WithTraceEveryDeniedActIsInTheListWithItsRule) {
  const std::string program =
      sandbox_.workspace_file("denied_acts", read_text(case_program("denied_acts")));
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  sandbox_.workspace_file("mine", "");
  sandbox_.home_file("secret/linked", "");
  ASSERT_EQ(::chmod(sandbox_.home_file("secret/tool", "#!/bin/sh\n").c_str(), 0755), 0);
  ASSERT_EQ(::symlink("../secret/linked", (sandbox_.workspace() + "/link").c_str()), 0);
  for (const char* name : {"by-descriptor", "write", "relative", "at", "truncate", "chmod", "chown",
                           "utime", "setxattr", "removexattr", "unlink", "rename"})
    sandbox_.home_file(std::string("closed/") + name, "");
  ASSERT_EQ(::mkdir((sandbox_.home() + "/closed/rmdir").c_str(), 0755), 0);
  const Lines command = {program, sandbox_.home() + "/secret", sandbox_.home() + "/closed",
                         sandbox_.workspace()};
  sandbox_.options = {"--trace"};
  for (const char* mechanism : {"guard", "emulate"}) {
    SCOPED_TRACE(mechanism);
    policy(mechanism);
    SandboxResult result = sandbox_.run_command(command);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_THAT(
        lines(result),
        UnorderedElementsAre(
            "read ~/secret", "read ~/secret/key", "read ~/secret/linked", "read ~/secret/tool",
            "create ~/secret/new", "write ~/closed/write", "write ~/closed/relative",
            "write ~/closed/at", "write ~/closed/truncate", "write ~/closed/chmod",
            "write ~/closed/by-descriptor", "write ~/closed/chown", "write ~/closed/utime",
            "write ~/closed/setxattr", "write ~/closed/removexattr", "rename ~/closed/unlink",
            "rename ~/closed/rmdir", "rename ~/closed/rename", "create ~/closed/renamed",
            "create ~/closed/mkdir", "create ~/closed/symlink", "create ~/closed/link",
            "create ~/closed/create", "create ~/closed/mkfifo", "create ~/closed/bind"));
    EXPECT_EQ(result.report.at("denials").at("complete"), true);
    for (const nlohmann::json& denial : result.report.at("denials").at("list"))
      EXPECT_EQ(denial.at("exact"), true) << denial;
  }
  RunResult control = run(command, sandbox_.process_options());
  EXPECT_EQ(control.status, 1) << "outside these acts succeed";
  EXPECT_THAT(control.out, HasSubstr("succeeded: opendir"));
}

TEST_F(Denials, WithTraceACommandThatIsDeniedNothingHasAnEmptyCompleteList) {
  sandbox_.options = {"--trace"};
  SandboxResult result =
      sandbox_.run("echo x > file; cat file; mkdir -p a/b; mv a c; rm -r c file");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(lines(result), IsEmpty());
  EXPECT_EQ(result.report.at("denials").at("complete"), true);
}

TEST_F(Denials, WithoutTraceAFailedCommandsWordsAreHints) {
  for (const char* script : {"cat ~/secret/key", "ls; cat ../secret/key; exit 3"}) {
    SCOPED_TRACE(script);
    SandboxResult result = sandbox_.run(script);
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(lines(result), Contains("read ~/secret/key"));
    EXPECT_EQ(result.report.at("denials").at("list").at(0).at("exact"), false);
    EXPECT_EQ(result.report.at("denials").at("complete"), false);
  }
  EXPECT_THAT(lines(sandbox_.run("echo x > ~/closed/file")), Contains("write ~/closed/file"));
}

TEST_F(Denials, ASocketInAHiddenFolderIsAnExactDenial) {
  NEEDS(tool("python3"));
  const std::string script =
      "python3 -c \"import os, socket; s = socket.socket(socket.AF_UNIX); "
      "s.connect(os.path.expanduser('~/secret/socket'))\"";
  const std::string path = sandbox_.home() + "/secret/socket";
  UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(server.get(), 5), 0);
  SandboxResult result = sandbox_.run(script);
  EXPECT_THAT(result.err, HasSubstr("Permission denied"));
  EXPECT_EQ(lines(result), Lines{"connect ~/secret/socket"});
  EXPECT_EQ(result.report.at("denials").at("list").at(0).at("exact"), true);
  EXPECT_EQ(sandbox_.outside(script).status, 0);
}

TEST_F(Denials, AHintIsFoundWhereBothOutputsShareAPipe) {
  std::string words = ward_binary();
  for (const std::string& word : sandbox_.arguments({"cat", "../secret/key"}))
    words += " '" + word + "'";
  RunResult result = run({"/bin/sh", "-c", words + " 2>&1 | cat"}, sandbox_.process_options());
  EXPECT_THAT(result.out, HasSubstr("Permission denied"));
  SandboxResult reported{result, nlohmann::json::parse(read_text(sandbox_.result_file()))};
  EXPECT_EQ(lines(reported), Lines{"read ~/secret/key"});
}

// A mount holds them in their place: the kernel says EBUSY, and nothing of why.
TEST_F(Denials, ARenameOfWhatIsHeldInItsPlaceIsAnExactDenial) {
  NEEDS(tool("git"));
  const std::string script =
      "mv .git .git2; mv .git/config copy; echo x > new; mv -f new .git/config; mkdir -p a/b; "
      "mv -T a/b .git/hooks; mv -T a .vscode; mv a c && mv c a; exit 0";
  for (const char* mechanism : {"guard", "emulate"}) {
    for (const Lines& options : {Lines{}, Lines{"--trace"}}) {
      SCOPED_TRACE(mechanism + std::string(options.empty() ? "" : " with trace"));
      sandbox_.outside("rm -rf * .git .vscode && git init -q . && mkdir .vscode");
      policy(mechanism);
      sandbox_.options = options;
      const SandboxResult result = sandbox_.run(script);
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_THAT(result.err, HasSubstr("busy"));
      EXPECT_THAT(lines(result),
                  UnorderedElementsAre("rename ~/project/.git", "rename ~/project/.git/config",
                                       "rename ~/project/.git/hooks", "rename ~/project/.vscode"));
      for (const nlohmann::json& denial : result.report.at("denials").at("list")) {
        EXPECT_EQ(denial.at("exact"), true) << denial;
        EXPECT_THAT(denial.at("rule"), HasSubstr("always protected"));
      }
    }
  }
  const std::string control =
      "echo x > new && mv -f new .git/config && mv .git/config copy && mv .git .git2 && "
      "mv .vscode code";
  EXPECT_EQ(sandbox_.outside(control).status, 0);
}

TEST_F(Denials, WithoutTraceACommandThatWorkedIsNotGuessedAbout) {
  SandboxResult result = sandbox_.run("cat ~/secret/key || true");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(lines(result), IsEmpty());
  EXPECT_EQ(result.report.at("denials").at("complete"), false);
}

TEST_F(Denials, ANameThatCouldNotBeResolvedIsAHintThatNamesTheHost) {
  SandboxResult result =
      sandbox_.run("echo 'curl: (6) Could not resolve host: example.com' >&2; exit 6");
  EXPECT_EQ(lines(result), Lines{"name example.com"});
  EXPECT_EQ(result.report.at("denials").at("list").at(0).at("exact"), false);
}

TEST_F(Denials, WhatAProgramPrintsIsRelayedByteForByteAllTheSame) {
  const std::string script =
      "head -c 300000 /dev/zero | tr '\\0' x >&2; printf '\\0\\377' >&2; exit 1";
  SandboxResult result = sandbox_.run(script);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, sandbox_.outside(script).err);
}

}  // namespace
}  // namespace ward::test
