// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the machine's user does outside while a command runs must not open anything to it: files
// that are replaced lose the mounts that lie on them, and files that were not there appear.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Runs `inside` in the sandbox; when it reads from the FIFO `go` for the first time, `outside` has
// been done by a program of the machine's user.
SandboxResult while_running(Sandbox& sandbox, const std::string& inside,
                            const std::string& outside) {
  for (const char* name : {"/ready", "/go"})
    EXPECT_EQ(::mkfifo((sandbox.workspace() + name).c_str(), 0600), 0);
  sandbox.process.deadline = std::chrono::seconds(30);
  std::thread user([&] { sandbox.outside("read line < ready; " + outside + "; echo go > go"); });
  SandboxResult result = sandbox.run("echo > ready; read line < go; " + inside);
  user.join();
  return result;
}

// A mount that is gone comes back within moments: the script waits for that, and hangs if never.
constexpr const char* kUntilHidden = "while cat $F 2>/dev/null; do :; done | wc -c > /dev/null; ";

TEST(EscapeHost, AHiddenFileThatAnEditorReplacesIsHiddenAgain) {
  Sandbox sandbox;
  sandbox.workspace_file(".env", "old secret");
  sandbox.workspace_file("deep/down/.env", "old secret");
  SandboxResult result = while_running(
      sandbox,
      std::string("F=.env; ") + kUntilHidden + "F=deep/down/.env; " + kUntilHidden +
          "cat .env deep/down/.env",
      "echo new secret > .tmp; mv .tmp .env; rm deep/down/.env; echo new > deep/down/.env");
  EXPECT_FALSE(result.hung);
  EXPECT_THAT(result.out, Not(HasSubstr("secret")));
  EXPECT_THAT(result.err, HasSubstr("cat: .env: Permission denied"));
  EXPECT_THAT(result.err, HasSubstr("cat: deep/down/.env: Permission denied"));
  EXPECT_THAT(result.report["denials"].dump(), HasSubstr("replaced during the run"));
  EXPECT_THAT(sandbox.outside("cat .env").out, HasSubstr("new secret"));
}

TEST(EscapeHost, AProtectedFileThatGitReplacesOutsideIsReadOnlyAgain) {
  NEEDS(tool("git"));
  Sandbox sandbox;
  sandbox.outside("git init -q .");
  std::string append = "(echo '[core] fsmonitor = ./evil' >> .git/config)";
  SandboxResult result = while_running(
      sandbox,
      // Opening for appending changes nothing, so it can be tried until it fails.
      "while (: >> .git/config) 2>/dev/null; do :; done; "
      "while (: > .git/hooks/probe && rm .git/hooks/probe) 2>/dev/null; do :; done; " +
          append + "; echo x > .git/hooks/pre-commit",
      "git config user.name someone; rm -r .git/hooks; mkdir .git/hooks");
  EXPECT_FALSE(result.hung);
  std::string config = read_text(sandbox.workspace() + "/.git/config");
  EXPECT_THAT(config, HasSubstr("someone"));
  EXPECT_THAT(config, Not(HasSubstr("evil")));
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/.git/hooks/pre-commit"));
  EXPECT_EQ(sandbox.outside(append).status, 0);
}

TEST(EscapeHost, ANameThatIsHiddenAndAppearsLaterIsHidden) {
  Sandbox sandbox;
  fs::create_directories(sandbox.home() + "/open");
  sandbox.set_policy(
      "version: 1\nextends: workspace\nfilesystem:\n  allowRead: [~/open]\n"
      "  denyRead: [~/open/key, ~/open/far/below/key]\n");
  SandboxResult result = while_running(
      sandbox,
      std::string("F=~/open/key; until [ -e $F ]; do :; done; ") + kUntilHidden +
          "F=~/open/far/below/key; until [ -e $F ]; do :; done; " + kUntilHidden +
          "cat ~/open/key ~/open/far/below/key",
      "echo secret > ~/open/key; mkdir -p ~/open/far/below; echo secret > ~/open/far/below/key");
  EXPECT_FALSE(result.hung);
  EXPECT_THAT(result.out, Not(HasSubstr("secret")));
  EXPECT_THAT(result.err, HasSubstr("open/key: Permission denied"));
  EXPECT_THAT(result.report["denials"].dump(), HasSubstr("appeared during the run"));
  EXPECT_THAT(sandbox.outside("cat ~/open/key").out, HasSubstr("secret"));
}

// Ward's own folders, as they are at the first run of a user: not there yet.
TEST(EscapeHost, WardsOwnFoldersAreOutOfReachAtTheFirstRunToo) {
  Sandbox sandbox;
  sandbox.process.env["XDG_STATE_HOME"] = sandbox.workspace() + "/state";
  sandbox.process.env["XDG_CACHE_HOME"] = sandbox.workspace() + "/cache";
  sandbox.process.env["XDG_CONFIG_HOME"] = sandbox.workspace() + "/config";
  SandboxResult result = sandbox.run(
      "cat state/ward/journal.db; echo x > state/ward/forged; mkdir -p config/ward; "
      "echo x > config/ward/policy.yaml; mv state state2; rm -r state cache; ls state/ward");
  EXPECT_THAT(result.out, testing::IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("Permission denied"));
  EXPECT_TRUE(fs::exists(sandbox.workspace() + "/state/ward/journal.db"));
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/state/ward/forged"));
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/config/ward/policy.yaml"));
  EXPECT_FALSE(fs::exists(sandbox.workspace() + "/state2"));
  EXPECT_EQ(sandbox.outside("cat state/ward/journal.db > /dev/null").status, 0);
}

// A link that an earlier run left where the report goes.
TEST(EscapeHost, TheReportIsNotWrittenThroughALinkOfTheWorkspace) {
  Sandbox sandbox;
  std::string victim = sandbox.home_file("victim", "as it was");
  sandbox.outside("ln -s ~/victim report.json; mkdir ~/folder; ln -s ~/folder out");
  for (const char* name : {"report.json", "out/victim.json"}) {
    RunResult result = run_ward({"run", "--result", name, "--", "true"}, sandbox.process_options());
    EXPECT_EQ(result.status, 125) << name;
  }
  EXPECT_EQ(read_text(victim), "as it was");
  EXPECT_TRUE(fs::is_empty(sandbox.home() + "/folder"));
  sandbox.outside("echo changed > report.json");
  EXPECT_EQ(read_text(victim), "changed\n");
}

TEST(EscapeHost, AWorkspaceFullOfTrapsDoesNotHangOrCrashWard) {
  Sandbox sandbox;
  sandbox.process.deadline = std::chrono::seconds(30);
  struct Trap {
    const char* name;
    const char* make;
  };
  const Trap traps[] = {
      {"a FIFO as .git", "mkfifo .git"},
      {"a FIFO as ward.yaml", "mkfifo ward.yaml"},
      {"an endless ward.yaml", "ln -s /dev/zero ward.yaml"},
      {"a .git that names itself", "echo 'gitdir: .git' > .git"},
      {"a .git link in a loop", "ln -s .git .git"},
      {"a .git that names a FIFO", "mkfifo pipe; echo 'gitdir: pipe' > .git"},
      {"a FIFO as git's configuration",
       "mkdir -p .git/objects .git/refs; echo x > .git/HEAD; mkfifo .git/config"},
      {"a FIFO as commondir", "mkdir g; mkfifo g/commondir; echo 'gitdir: g' > .git"},
      {"a .git in a .git", "mkdir -p .git/modules; ln -s .. .git/modules/up"},
      {"names with newlines, bytes and wildcards",
       "mkdir \"$(printf 'a\\nb\\377*[?{}')\"; cd a*; touch .env \"$(printf '\\033]0;x\\007')\""},
      {"a name of 255 bytes", "mkdir $(printf %0255d 0); touch $(printf %0255d 0)/.env"},
      {"300 folders deep", "for i in $(seq 300); do mkdir d; cd d; done; touch .env"},
      {"a bomb of aliases",
       "{ echo 'a: &a [x,x,x,x,x,x,x,x,x]'; for p in 'b a' 'c b' 'd c' 'e d' 'f e' 'g f' 'h g'; do "
       "set -- $p; echo \"$1: &$1 [*$2,*$2,*$2,*$2,*$2,*$2,*$2,*$2,*$2]\"; done; } > ward.yaml"},
      {"a ward.yaml nested without end", "head -c 200000 /dev/zero | tr '\\0' '[' > ward.yaml"},
      {"a link to itself everywhere", "ln -s . here; ln -s .. up; ln -s / root"},
  };
  for (const Trap& trap : traps) {
    SCOPED_TRACE(trap.name);
    Sandbox one;
    one.process.deadline = std::chrono::seconds(30);
    EXPECT_EQ(one.outside(trap.make).status, 0);
    SandboxResult result = one.run("echo ran; cat .env d/*/.env 2>&1");
    EXPECT_FALSE(result.hung);
    EXPECT_TRUE(result.status == 125 || result.out.find("ran") != std::string::npos)
        << result.status << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("\033")));
  }
}

// A workspace in a private folder is mounted on names that are made for it: where one stands
// already, as a FIFO, nothing may wait for whoever would write to it.
TEST(EscapeHost, AFifoForGitInAPrivateFolderHangsNobody) {
  Sandbox box;
  char folder[] = "/var/tmp/ward-fifo-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  box.process.cwd = folder;
  box.process.deadline = std::chrono::seconds(30);
  ASSERT_EQ(::mkfifo((std::string(folder) + "/.git").c_str(), 0600), 0);
  const RunResult result =
      run_ward({"run", "-w", folder, "--", "/bin/sh", "-c", "echo ran"}, box.process_options());
  EXPECT_FALSE(result.hung);
  EXPECT_TRUE(result.status == 125 || result.out == "ran\n") << result.status << result.err;
  std::filesystem::remove_all(folder);
}

// An agent does not get rid of the report of what it did.
TEST(EscapeHost, EscapeSequencesOfADenialDoNotReachTheTerminal) {
  Sandbox sandbox;
  sandbox.workspace_file("sub/x", "");
  SandboxResult result = sandbox.run(
      "d=$(printf 'e\\033[2J\\nward: all is well'); mkdir \"$d\"; cd \"$d\" && echo x > .env");
  EXPECT_THAT(result.err, Not(HasSubstr("\033[2J\nward")));
  RunResult shown = run_ward({"audit", "show"}, sandbox.process_options());
  EXPECT_THAT(shown.out + shown.err, Not(HasSubstr("\033")));
  EXPECT_THAT(shown.out + shown.err, Not(HasSubstr("\nward: all is well")));
}

}  // namespace
}  // namespace ward::test
