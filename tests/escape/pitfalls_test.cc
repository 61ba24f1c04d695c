// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The fifteen pitfalls that other sandboxes were found in (docs/threat-model.md), one test each,
// attacked from inside, with the control that the same act works outside.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"
#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST(Pitfall01, AnUnknownKeyIsRefusedAndNothingRuns) {
  Sandbox sandbox;
  sandbox.set_policy("version: 1\nextends: workspace\nfilesystem:\n  denyReads: [~/secret]\n");
  SandboxResult result = sandbox.run("touch ran");
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.err, HasSubstr("denyReads"));
  EXPECT_THAT(result.err, HasSubstr("denyRead"));
  EXPECT_THAT(result.err, HasSubstr("policy.yaml:4"));
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/ran"));
}

TEST(Pitfall02, WriteGlobsAreEnforced) {
  Sandbox sandbox;
  std::string lock = sandbox.workspace_file("deep/yarn.lock", "as it was");
  sandbox.set_policy("version: 1\nextends: workspace\nfilesystem: {denyWrite: [\"**/*.lock\"]}\n");
  SandboxResult result =
      sandbox.run("echo x > deep/yarn.lock; echo x > deep/new.lock; echo x > deep/free; ls deep");
  EXPECT_EQ(read_text(lock), "as it was");
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/deep/new.lock"));
  EXPECT_TRUE(fs::exists(sandbox.workspace() + "/deep/free"));
  sandbox.outside("echo x > deep/yarn.lock");
  EXPECT_EQ(read_text(lock), "x\n");
}

TEST(Pitfall03, AFileThatAppearsDuringTheRunIsHiddenToo) {
  Sandbox sandbox;
  SandboxResult inside = sandbox.run("mkdir sub; echo secret > sub/.env; cat sub/.env");
  EXPECT_THAT(inside.out, Not(HasSubstr("secret")));
  EXPECT_THAT(sandbox.outside("echo secret > sub/.env; cat sub/.env").out, HasSubstr("secret"));
  EXPECT_THAT(sandbox.run("cat sub/.env").err, HasSubstr("Permission denied"));
}

TEST(Pitfall04, InheritedDescriptorsDoNotReachTheCommand) {
  Sandbox sandbox;
  std::string secret = sandbox.home_file("secret/key", "the key");
  sandbox.set_policy("version: 1\nextends: workspace\nfilesystem: {denyRead: [~/secret]}\n");
  std::string attack = "cat <&200; touch /proc/self/fd/201/escaped; ls -l /proc/self/fd";
  std::string words;
  for (const std::string& word : sandbox.arguments({"/bin/bash", "-c", attack}))
    words += "'" + word + "' ";
  std::string open = "exec 200<" + secret + " 201<" + sandbox.home() + "; ";
  RunResult result =
      run({"/bin/bash", "-c", open + ward_binary() + " " + words}, sandbox.process_options());
  EXPECT_THAT(result.out, Not(HasSubstr("the key")));
  EXPECT_FALSE(fs::exists(sandbox.home() + "/escaped"));
  RunResult control = run({"/bin/bash", "-c", open + attack}, sandbox.process_options());
  EXPECT_THAT(control.out, HasSubstr("the key"));
  EXPECT_TRUE(fs::exists(sandbox.home() + "/escaped"));
}

// The FIFO tells when the whole tree is gone: its last writer is a process that left its session.
TEST(Pitfall05, KillingWardEndsTheWholeTreeAndLeavesNothing) {
  Sandbox sandbox;
  std::string fifo = sandbox.workspace() + "/alive";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string attack =
      "setsid sh -c 'setsid sh -c \"exec 9>alive; echo up >&9; sleep 600\" &' & wait; sleep 600";
  pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    std::vector<std::string> words = sandbox.arguments({"/bin/sh", "-c", attack});
    words.insert(words.begin(), ward_binary());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    (void)!::chdir(sandbox.workspace().c_str());
    ::setenv("HOME", sandbox.home().c_str(), 1);
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }
  UniqueFd reader(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[16];
  ASSERT_EQ(::read(reader.get(), buffer, sizeof buffer), 3);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(::read(reader.get(), buffer, sizeof buffer), 0) << "a process holds the FIFO";
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(sandbox.workspace()))
    left.push_back(entry.path().filename());
  EXPECT_THAT(left, testing::ElementsAre("alive"));
}

TEST(Pitfall06, AbsentProtectedPathsLeaveNoStubNotEvenForAMoment) {
  Sandbox sandbox;
  sandbox.outside("git init -q .");
  UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  for (const char* folder : {"", "/.git"})
    ASSERT_GE(::inotify_add_watch(watch.get(), (sandbox.workspace() + folder).c_str(),
                                  IN_CREATE | IN_MOVED_TO | IN_DELETE),
              0);
  SandboxResult result = sandbox.run(
      "git status --porcelain; ls -a; for f in .bashrc .gitconfig .mcp.json; do echo x > $f; done; "
      "mkdir .vscode");
  EXPECT_THAT(result.err, HasSubstr("Permission denied"));
  EXPECT_THAT(result.out, Not(HasSubstr("??")));
  char events[4096];
  ssize_t size = ::read(watch.get(), events, sizeof events);
  std::string names;
  for (ssize_t at = 0; at < size;) {
    const auto* event = reinterpret_cast<const struct inotify_event*>(events + at);
    if (event->len > 0) names += std::string(event->name) + " ";
    at += static_cast<ssize_t>(sizeof *event + event->len);
  }
  EXPECT_THAT(names, Not(HasSubstr("bashrc")));
  EXPECT_THAT(names, Not(HasSubstr("vscode")));
  EXPECT_EQ(sandbox.outside("echo x > .bashrc").status, 0);
}

TEST(Pitfall07, AMissingMechanismIsAnErrorWithItsRemedyAndNothingRuns) {
  NEEDS(tool("unshare"));
  Sandbox sandbox;
  std::string words = ward_binary();
  for (const std::string& word : sandbox.arguments({"/usr/bin/touch", "ran"}))
    words += " '" + word + "'";
  RunResult result = run({"unshare", "--user", "--map-root-user", "sh", "-c",
                          "echo 0 > /proc/sys/user/max_user_namespaces; " + words},
                         sandbox.process_options());
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.err, HasSubstr("max_user_namespaces"));
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/ran"));
}

TEST(Pitfall08, AWriteToADeniedFolderFailsInsteadOfGoingNowhere) {
  Sandbox sandbox;
  sandbox.home_file("secret/key", "the key");
  sandbox.set_policy("version: 1\nextends: workspace\nfilesystem: {denyRead: [~/secret]}\n");
  SandboxResult result = sandbox.run("echo x > ~/secret/new && echo written; ls ~/secret");
  EXPECT_THAT(result.out, Not(HasSubstr("written")));
  EXPECT_THAT(result.err, HasSubstr("Permission denied"));
  EXPECT_THAT(sandbox.outside("echo x > ~/secret/new && echo written").out, HasSubstr("written"));
}

TEST(Pitfall09, ExitStatusesAreTrue) {
  Sandbox sandbox;
  EXPECT_EQ(sandbox.run("exit 37").status, 37);
  EXPECT_EQ(sandbox.run("kill -TERM $$").status, 143);
  EXPECT_EQ(sandbox.run("kill -KILL $$").status, 137);
  EXPECT_EQ(sandbox.run("kill -SEGV $$").status, 139);
  EXPECT_EQ(sandbox.run_command({"/no/such/program"}).status, 127);
  sandbox.workspace_file("data", "no program");
  EXPECT_EQ(sandbox.run_command({"./data"}).status, 126);
  sandbox.set_policy("version: 1\nextends: workspace\nlimits: {wall: 100ms}\n");
  SandboxResult timed_out = sandbox.run("sleep 600");
  EXPECT_EQ(timed_out.status, 124);
  EXPECT_EQ(timed_out.report["outcome"]["kind"], "timed-out");
}

TEST(Pitfall10, TenThousandHiddenFilesAreHidden) {
  Sandbox sandbox;
  for (int i = 0; i < 10000; ++i) sandbox.workspace_file("keys/" + std::to_string(i) + ".pem", "k");
  sandbox.set_policy("version: 1\nextends: workspace\nfilesystem: {denyRead: [\"**/*.pem\"]}\n");
  SandboxResult result = sandbox.run("cat keys/*.pem 2>/dev/null | wc -c; ls keys | wc -l");
  EXPECT_EQ(result.out, "0\n10000\n");
  EXPECT_EQ(sandbox.outside("cat keys/*.pem | wc -c").out, "10000\n");
}

TEST(Pitfall11, TemporaryFoldersExistAndArePrivate) {
  Sandbox sandbox;
  std::ofstream("/tmp/ward-host-file") << "host";
  SandboxResult result = sandbox.run(
      "test -d \"$TMPDIR\" && mktemp >/dev/null && echo made; ls /tmp/ward-host-file; "
      "echo x > /tmp/ward-inside; python3 -c 'import tempfile; print(tempfile.gettempdir())'");
  fs::remove("/tmp/ward-host-file");
  EXPECT_THAT(result.out, HasSubstr("made\n"));
  EXPECT_THAT(result.out, HasSubstr("/tmp\n"));
  EXPECT_THAT(result.err, HasSubstr("No such file"));
  EXPECT_FALSE(fs::exists("/tmp/ward-inside"));
}

TEST(Pitfall12, OnlyListedVariablesReachTheCommand) {
  Sandbox sandbox;
  sandbox.process.env["MY_API_KEY"] = "sk-secret";
  sandbox.process.env["MY_LANG"] = "en";
  sandbox.set_policy("version: 1\nextends: workspace\nenv: {allow: [MY_LANG]}\n");
  SandboxResult result = sandbox.run("env; cat /proc/1/environ");
  EXPECT_THAT(result.out, Not(HasSubstr("sk-secret")));
  EXPECT_THAT(result.out, HasSubstr("MY_LANG=en"));
  EXPECT_THAT(sandbox.outside("env").out, HasSubstr("sk-secret"));
}

TEST(Pitfall13, CommitsWorkInALinkedWorktreeAndHooksStayOut) {
  NEEDS(tool("git"));
  Sandbox sandbox;
  sandbox.outside(
      "git config --global user.name u; git config --global user.email u@example.com; "
      "git init -q ../main; cd ../main; echo a > a; git add a; git commit -qm a; "
      "git worktree add -q ../project/tree -b tree");
  sandbox.process.cwd = sandbox.workspace() + "/tree";
  SandboxResult result = sandbox.run(
      "echo b > b && git add b && git commit -qm b && git log --oneline | wc -l; "
      "echo x > ../../main/.git/hooks/post-commit; echo x >> ../../main/.git/config; "
      "git config core.pager evil");
  EXPECT_EQ(result.out, "2\n") << result.err;
  EXPECT_FALSE(fs::exists(sandbox.home() + "/main/.git/hooks/post-commit"));
  EXPECT_THAT(read_text(sandbox.home() + "/main/.git/config"), Not(HasSubstr("evil")));
  EXPECT_EQ(sandbox.outside("git config core.pager evil").status, 0);
}

TEST(Pitfall14, SocketsInsideWorkAndHostSocketsDoNot) {
  NEEDS(tool("python3"));
  Sandbox sandbox;
  fs::create_directory(sandbox.home() + "/bin");
  std::string path = sandbox.home() + "/bin/docker.sock";  // where the profile lets it be seen
  UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(server.get(), 5), 0);
  std::string connect =
      "import socket; s = socket.socket(socket.AF_UNIX); s.connect('" + path + "')\n";
  sandbox.workspace_file("host.py", connect);
  sandbox.workspace_file("inside.py",
                         "import socket\n"
                         "l = socket.socket(socket.AF_UNIX); l.bind('own.sock'); l.listen()\n"
                         "c = socket.socket(socket.AF_UNIX); c.connect('own.sock')\n"
                         "a, b = socket.socketpair(); a.send(b'x'); print('works', b.recv(1))\n");
  SandboxResult host = sandbox.run("python3 host.py");
  EXPECT_NE(host.status, 0);
  EXPECT_THAT(host.err, HasSubstr("Permission"));
  EXPECT_THAT(host.report["denials"]["list"].dump(), HasSubstr("docker.sock"));
  EXPECT_THAT(sandbox.run("python3 inside.py").out, HasSubstr("works"));
  EXPECT_EQ(sandbox.outside("python3 host.py").status, 0);
}

TEST(Pitfall15, AProgramThatKnowsNoProxyReachesNothing) {
  NEEDS(tool("python3"));
  Sandbox sandbox;
  UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<struct sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server.get(), 5), 0);
  ::getsockname(server.get(), reinterpret_cast<struct sockaddr*>(&address), &size);
  std::string port = std::to_string(ntohs(address.sin_port));
  sandbox.workspace_file(
      "connect.py", "import socket\nsocket.create_connection(('127.0.0.1', " + port + "), 5)\n");
  sandbox.workspace_file("loopback.py",
                         "import socket\nl = socket.create_server(('127.0.0.1', 0))\n"
                         "socket.create_connection(l.getsockname()); print('own loopback')\n");
  EXPECT_THAT(sandbox.run("python3 connect.py").err, HasSubstr("refused"));
  EXPECT_EQ(sandbox.run("python3 loopback.py").out, "own loopback\n");
  EXPECT_THAT(
      sandbox.run("python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 5)\"")
          .err,
      HasSubstr("unreachable"));
  EXPECT_EQ(sandbox.outside("python3 connect.py").status, 0);
}

}  // namespace
}  // namespace ward::test
