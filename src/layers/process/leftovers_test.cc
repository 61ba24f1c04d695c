// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/leftovers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "layers/process/git_config_scan.h"
#include "support/needs.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "sys/directory.h"

namespace ward::process {
namespace {

using Paths = std::vector<std::string>;

Paths keys(std::string_view text) {
  Paths out;
  for (const ConfigFinding& finding : scan_git_config(text)) out.push_back(finding.key);
  return out;
}

TEST(GitConfigScan, TablesAreSorted) {
  EXPECT_TRUE(std::is_sorted(executing_keys().begin(), executing_keys().end(),
                             [](const ExecutingKey& a, const ExecutingKey& b) {
                               return std::pair(a.section, a.key) < std::pair(b.section, b.key);
                             }));
  EXPECT_TRUE(std::is_sorted(executed_names().begin(), executed_names().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(GitConfigScan, WhatInitAndCloneWriteIsHarmless) {
  EXPECT_EQ(keys("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
                 "\tlogallrefupdates = true\n[remote \"origin\"]\n"
                 "\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/*\n"
                 "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
                 "[submodule \"x\"]\n\tactive = true\n\turl = ../x\n# comment\n; other\n"),
            Paths{});
  EXPECT_EQ(keys("[core]\n\tfsmonitor = true\n"), Paths{});
}

TEST(GitConfigScan, KeysThatExecuteAreNamed) {
  EXPECT_EQ(keys("[core]\n fsmonitor = ./x\n sshCommand = y\n[FILTER \"a.b\"] Clean = z\n"
                 "[alias]\n st = status\n[credential \"https://h\"]\n helper = !x\n"
                 "[includeIf \"gitdir:/\"]\n path = z\n[remote \"o\"]\n url = ext::sh -c x\n"
                 "[diff \"d\"]\n textconv = x\n[gpg \"ssh\"]\n program = x\n"),
            (Paths{"core.fsmonitor", "core.sshcommand", "filter.a.b.clean", "alias.st",
                   "credential.https://h.helper", "includeif.gitdir:/.path", "remote.o.url",
                   "diff.d.textconv", "gpg.ssh.program"}));
}

TEST(GitConfigScan, NothingIsHiddenByTheWaysToWriteIt) {
  const Paths fsmonitor = {"core.fsmonitor"};
  EXPECT_EQ(keys("[core] fsmonitor=x"), fsmonitor);
  EXPECT_EQ(keys("[ core ]\nfsmonitor=x").size(), 1U);
  EXPECT_EQ(keys("\xEF\xBB\xBF[core]\r\nFsMonitor\t=\tx\r\n"), fsmonitor);
  EXPECT_EQ(keys("[core]\n# a comment \\\nfsmonitor = x"), fsmonitor);
  EXPECT_EQ(keys("[core]\neol = lf # z \\\nfsmonitor = x"), fsmonitor);
  EXPECT_EQ(keys("[user][core]fsmonitor = x"), fsmonitor);
  EXPECT_EQ(keys("[core]\nfsmonitor # none\n"), fsmonitor);
  EXPECT_EQ(keys("[remote \"a]\\\"b\"]\nurl = \"ext\"::x"), (Paths{"remote.a]\"b.url"}));
  EXPECT_EQ(keys("[remote \"a\"]\nurl = ext\":\"\":\"x"), (Paths{"remote.a.url"}));
  EXPECT_FALSE(keys("[remote \"a\"]\nurl = ex\\\nt::sh").empty());
  EXPECT_FALSE(keys("[submodule \"a\"]\nupdate = \\\n!x").empty());
  // The second header is the value of eol.
  EXPECT_EQ(keys("[core]\neol = \\\n[user]\nfsmonitor = x"), fsmonitor);
  EXPECT_EQ(keys("[core]\nfsmonitor = tr\\\nue").front(), "core.fsmonitor");
}

TEST(GitConfigScan, WhatIsNotUnderstoodIsNamed) {
  EXPECT_EQ(keys("[core\nx = y").size(), 1U);
  EXPECT_EQ(keys("[a]\n<<<<<<< HEAD\n").size(), 1U);
  std::string headers = "[core]\neol = \\\n";
  for (int i = 0; i < 40; ++i) headers += "[user]";
  EXPECT_EQ(keys(headers + "\nfsmonitor = x").size(), 2U);  // the headers and the key
  EXPECT_LE(keys(std::string(10000, '[')).size(), kMaxConfigFindings);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "?\n";
  EXPECT_EQ(keys(many).size(), kMaxConfigFindings);
}

// git itself is the judge: whatever executing key it reads out of a text, the scanner names too.
TEST(GitConfigScan, NamesEveryExecutingKeyThatGitReads) {
  NEEDS(tool("git"));
  const Paths sections = {"[core]",       " [ core ]",     "[core]# x\n",  "[Filter \"a]b\"]",
                          "[filter.Old]", "[alias]",       "[user][core]", "[a \"\\\"\"]",
                          "[pager]\r\n",  "[FILTER\t\"\"]"};
  const Paths names = {"fsmonitor", "FsMonitor", "pager", "clean", "st", "eol", "editor"};
  const Paths values = {"x",      "\"a b\"", "\\\"", "\\\n", "# c",      "; c \\", "\"#\"",
                        "\\\r\n", "=",       "]",    "[x]",  "\"\\\n\"", " ",      "\t\\\\"};
  const Paths ends = {"\n", "\n", "\n", "\r\n", "\n\n", " \n"};
  test::TempDir folder;
  std::mt19937 random{20260401};
  int read = 0;
  for (int i = 0; i < 200; ++i) {
    auto pick = [&](const Paths& from) { return from[random() % from.size()]; };
    std::string text;
    for (auto lines = 1 + random() % 5; lines > 0; --lines) {
      if (random() % 2 == 0) text += pick(sections) + (random() % 2 == 0 ? "\n" : " ");
      text += pick(names);
      if (random() % 4 != 0) text += random() % 2 == 0 ? "=" : " = ";
      if (text.ends_with("=") || text.ends_with(" "))
        for (auto parts = random() % 4; parts > 0; --parts) text += pick(values);
      text += pick(ends);
    }
    const std::string file = folder.write("config", text);
    test::RunResult git = test::run({"git", "config", "-f", file, "--list", "-z", "--name-only"});
    if (git.status != 0) continue;
    Paths found = keys(text);
    std::string_view listed = git.out;
    while (!listed.empty()) {
      const std::string name(listed.substr(0, listed.find('\0')));
      listed.remove_prefix(std::min(name.size() + 1, listed.size()));
      // A key before any section is listed and has no meaning.
      if (name.find('.') == std::string::npos) continue;
      const std::string section = name.substr(0, name.find('.'));
      const std::string key = name.substr(name.rfind('.') + 1);
      for (const ExecutingKey& known : executing_keys()) {
        if (known.section != section || (known.key != "*" && known.key != key)) continue;
        ++read;
        EXPECT_NE(std::find(found.begin(), found.end(), name), found.end()) << name << " in:\n"
                                                                            << text;
      }
    }
  }
  EXPECT_GT(read, 50);
}

class LeftoversTest : public ::testing::Test {
 protected:
  // Everything made until now was there at the start, whatever its real times say.
  void start() { since_ns_ = ~0ULL; }
  Paths find() {
    LeftoverRequest request{
        .workspaces = {root_.path()}, .repositories = repositories_, .since_ns = since_ns_};
    auto found = find_leftovers(request);
    if (!found) throw std::runtime_error(found.error().describe());
    Paths out;
    for (const Leftover& one : found->found)
      out.push_back(one.path.substr(root_.path().size()) + ": " + one.what);
    return out;
  }
  void hook(const std::string& path) {
    std::string file = root_.write(path, "#!/bin/sh\n");
    ASSERT_EQ(::chmod(file.c_str(), 0755), 0);
  }
  test::TempDir root_;
  Paths repositories_;
  std::uint64_t since_ns_ = 0;
};

TEST_F(LeftoversTest, AFreshRepositoryWithoutHooksIsNothing) {
  NEEDS(tool("git"));
  std::string fresh = root_.make_dir("fresh");
  ASSERT_EQ(test::run({"git", "init", "-q", fresh}).status, 0);
  ASSERT_EQ(test::run({"git", "init", "-q", "--bare", root_ / "bare.git"}).status, 0);
  EXPECT_EQ(find(), Paths{});
}

TEST_F(LeftoversTest, HooksAndExecutingKeysOfANewRepositoryAreNamed) {
  root_.write("new/.git/config", "[core]\n\tfsmonitor = ./x\n");
  hook("new/.git/hooks/post-checkout");
  hook("new/.git/hooks/pre-commit.sample");
  root_.write("new/.git/hooks/not-executable", "");
  EXPECT_EQ(find(),
            (Paths{"/new/.git/config: core.fsmonitor in line 2: git runs it on every status",
                   "/new/.git/hooks/post-checkout: a hook that git runs"}));
}

TEST_F(LeftoversTest, ARepositoryKnownAtTheStartIsNotNamedUnlessItChanged) {
  root_.write("old/.git/config", "[core]\n\tfsmonitor = ./x\n");
  repositories_ = {root_ / "old"};
  start();
  EXPECT_EQ(find(), Paths{});
  since_ns_ = 0;
  EXPECT_EQ(find().size(), 1U);
}

// The times inside are old, since a rename does not touch them.
TEST_F(LeftoversTest, AnOldFolderRenamedToBeAGitFolderIsNew) {
  root_.write("template/config", "[core]\n\tpager = x\n");
  hook("template/hooks/post-commit");
  start();
  EXPECT_EQ(find(), Paths{});
  root_.make_dir("sub");
  ASSERT_EQ(::rename((root_ / "template").c_str(), (root_ / "sub/.git").c_str()), 0);
  EXPECT_EQ(find().size(), 2U);
}

TEST_F(LeftoversTest, BareRepositoriesAndSubmodulesAreLookedInto) {
  for (const char* folder : {"store.git", "r/.git/modules/m"}) {
    std::string at = folder;
    root_.write(at + "/HEAD", "ref: refs/heads/main\n");
    root_.make_dir(at + "/objects");
    root_.make_dir(at + "/refs");
    hook(at + "/hooks/update");
  }
  repositories_ = {root_ / "r"};
  EXPECT_EQ(find(), (Paths{"/r/.git/modules/m/hooks/update: a hook that git runs",
                           "/store.git/hooks/update: a hook that git runs"}));
}

TEST_F(LeftoversTest, AGitFileThatLeadsOutOfTheWorkspaceIsNamed) {
  root_.write("a/.git", "gitdir: /tmp/elsewhere\n");
  root_.make_dir("inside");
  root_.write("b/.git", "gitdir: ../inside\n");
  ASSERT_EQ(::symlink("/tmp", (root_.make_dir("c") + "/.git").c_str()), 0);
  Paths found = find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], "/a/.git: leads git to /tmp/elsewhere");
  EXPECT_TRUE(found[1].starts_with("/c/.git: a symbolic link"));
}

TEST_F(LeftoversTest, FilesThatShellsEditorsAndAgentsObeyAreNamed) {
  root_.write("a/.envrc", "");
  root_.write("b/.vscode/tasks.json", "");
  root_.write("c/.claude/settings.json", "");
  root_.write("d/package.json", R"({"scripts": {"postinstall": "x"}})");
  root_.write("e/package.json", R"({"scripts": {"test": "x"}})");
  root_.write("node_modules/p/package.json", R"({"scripts": {"postinstall": "x"}})");
  Paths found = find();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_TRUE(found[0].starts_with("/a/.envrc: "));
  EXPECT_TRUE(found[1].starts_with("/b/.vscode: "));
  EXPECT_TRUE(found[2].starts_with("/c/.claude: "));
  EXPECT_TRUE(found[3].starts_with("/d/package.json: has a postinstall script"));
  start();
  EXPECT_EQ(find(), Paths{});
}

TEST_F(LeftoversTest, NewContentDeepInAnOldFolderIsNamed) {
  root_.write("b/.vscode/deep/old", "");
  std::string fresh = root_.write("b/.vscode/deep/fresh", "");
  struct stat status = {};
  ASSERT_EQ(sys::stat_entry(AT_FDCWD, fresh.c_str(), status), 0);
  since_ns_ = sys::change_stamp(status).ctime_ns;
  Paths found = find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("/b/.vscode: "));
}

}  // namespace
}  // namespace ward::process
