// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Processes: nothing of the host's can be seen or touched, nothing is left, no privilege is gained
// or stored for later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>

#include "support/attack.h"
#include "support/needs.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST(EscapeProcesses, NoProcessOfTheHostIsSeenOrSignalled) {
  AttackSandbox sandbox;
  pid_t victim = ::fork();
  if (victim == 0) {
    ::pause();
    ::_exit(0);
  }
  std::string pid = std::to_string(victim);
  EXPECT_THAT(sandbox.run("ls /proc").out, Not(HasSubstr("\n" + pid + "\n")));
  EXPECT_NE(sandbox.run("./attack kill " + pid + "; kill -9 -1").status, 0);
  EXPECT_EQ(::kill(victim, 0), 0);
  EXPECT_EQ(sandbox.outside("./attack kill " + pid).status, 0);
  int status = 0;
  ::waitpid(victim, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(EscapeProcesses, InitCannotBeTracedReadOrKilled) {
  AttackSandbox sandbox;
  SandboxResult result = sandbox.run(
      "./attack attach 1; ./attack kill 1; kill -STOP 1; kill -TERM 1; "
      "cat /proc/1/environ; cat /proc/1/maps; head -c 1 /proc/1/mem; ls /proc/1/root; "
      "ls -l /proc/1/ns/; readlink /proc/1/exe; echo still here");
  EXPECT_THAT(result.out, testing::EndsWith("still here\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("done")));
  EXPECT_THAT(result.err, HasSubstr("environ: Permission denied"));
  EXPECT_THAT(result.out, Not(HasSubstr("heap")));
}

// The kernel shows a process's arguments to everybody, and init is made from Ward's own process.
TEST(EscapeProcesses, WhatWardWasCalledWithIsNotSeenInside) {
  AttackSandbox sandbox;
  sandbox.set_policy("version: 1\nextends: workspace\n");
  const std::string look =
      "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; tr '\\0' ' ' < /proc/1/cmdline";
  SandboxResult result = sandbox.run(look);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("cat /proc/[0-9]*/cmdline"));
  EXPECT_THAT(result.out, HasSubstr("ward-init"));
  for (const char* word : {"--result", "--policy", "policy.yaml", " run "})
    EXPECT_THAT(result.out, Not(HasSubstr(word)));
  // Of another process the same look finds the words.
  EXPECT_THAT(sandbox.outside("tr '\\0' ' ' < /proc/$$/cmdline; : --policy").out,
              HasSubstr("--policy"));
}

TEST(EscapeProcesses, WhatWasLeftBehindEndsWithTheCommand) {
  NEEDS(tool("python3"));
  AttackSandbox sandbox;
  ASSERT_EQ(::mkfifo((sandbox.workspace() + "/alive").c_str(), 0600), 0);
  // A reader keeps the FIFO open on the host's side, and reads its end when the last writer is
  // gone.
  RunResult result = run({"/bin/sh", "-c",
                          "cat alive > heard & '" + ward_binary() +
                              "' run -- python3 -c '"
                              "import os, signal\n"
                              "for s in range(1, 32):\n"
                              "  try: signal.signal(s, signal.SIG_IGN)\n"
                              "  except OSError: pass\n"
                              "f = os.open(\"alive\", os.O_WRONLY)\n"
                              "for i in range(3):\n"
                              "  if os.fork() == 0:\n"
                              "    os.setsid()\n"
                              "    if os.fork() == 0:\n"
                              "      os.write(f, b\"x\")\n"
                              "      while True: signal.pause()\n"
                              "    while True: signal.pause()\n"
                              "'; wait"},
                         sandbox.process_options());
  EXPECT_FALSE(result.hung) << "a process outlived the run";
  EXPECT_EQ(result.status, 0);
}

TEST(EscapeProcesses, NoSetIdFileCanBeMade) {
  AttackSandbox sandbox;
  sandbox.run(
      "./attack temporary-set-id made; cp attack copy; chmod u+s copy; chmod 4755 attack; "
      "install -m 4755 attack installed");
  for (const auto& entry : fs::directory_iterator(sandbox.workspace())) {
    fs::perms mode = fs::status(entry.path()).permissions();
    EXPECT_EQ(mode & fs::perms::set_uid, fs::perms::none) << entry.path();
  }
  EXPECT_EQ(sandbox.outside("./attack temporary-set-id made && test -u made").status, 0);
}

TEST(EscapeProcesses, NoNamespaceNoRingNoHandle) {
  AttackSandbox sandbox;
  sandbox.workspace_file("file", "x");
  for (const char* act : {"unshare", "io-uring", "reopened-handle file"}) {
    SandboxResult result = sandbox.run(std::string("./attack ") + act);
    EXPECT_EQ(result.status, 1) << act << result.err;
  }
  EXPECT_THAT(sandbox.run("unshare -Ur true 2>&1 || grep -i ^seccomp: /proc/self/status").out,
              HasSubstr("2"));
}

TEST(EscapeProcesses, NothingOfTheMachineCanBeChanged) {
  NEEDS(root);  // an ordinary user could not outside either
  AttackSandbox sandbox;
  for (const char* file :
       {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
        "/proc/sys/vm/drop_caches", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs",
        "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/kernel/hostname"}) {
    EXPECT_NE(sandbox.run(std::string("exec 3>") + file).status, 0) << file;
  }
  EXPECT_EQ(sandbox.outside("exec 3>/proc/sys/kernel/core_pattern").status, 0);
  EXPECT_THAT(sandbox.run("./attack mknod-disk node; cat /proc/kcore; cat /dev/mem").err,
              Not(HasSubstr("done")));
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/node"));
}

}  // namespace
}  // namespace ward::test
