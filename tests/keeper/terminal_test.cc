// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "keeper/console.h"
#include "support/needs.h"
#include "support/paths.h"
#include "support/temp_dir.h"

namespace ward::test {
namespace {

std::string keeper() { return case_program("open_keeper"); }

Console keep(const std::string& text) { return Console({keeper(), "sh", "-c", text}); }

// A job-control shell whose prompt is "> ".
class Shell : public Console {
 public:
  Shell() : Console({"env", "PS1=> ", "K=" + keeper(), "bash", "--norc", "--noprofile", "-i"}) {}
};

#define SHOWS(console, text) \
  ASSERT_TRUE((console).shows(text)) << "the screen: " << (console).rest()

TEST(Terminal, TheCommandHasATerminalThatIsNotTheCallers) {
  NEEDS(user_namespaces, pty);
  Console outside({"sh", "-c", "test -t 0 && test -t 1 && echo at $(tty)"});
  SHOWS(outside, "at /dev/pts/");
  Console console = keep("test -t 0 && test -t 1 && test -t 2 && : < /dev/tty && echo yes");
  SHOWS(console, "yes");
  EXPECT_EQ(console.status(), 0);
}

TEST(Terminal, KeysAreEchoedOnceAndEndOfFileWorks) {
  NEEDS(user_namespaces, pty);
  Console console = keep("echo ready; cat; echo end");
  SHOWS(console, "ready\r\n");
  console.send("abc\n");
  SHOWS(console, "abc\r\nabc\r\n");
  console.send("\x04");
  SHOWS(console, "end\r\n");
  EXPECT_EQ(console.status(), 0);
}

TEST(Terminal, CtrlCInterruptsTheCommandInside) {
  NEEDS(user_namespaces, pty);
  Console console({keeper(), "sh", "-c", "echo ready; exec sleep 600"});
  SHOWS(console, "ready");
  console.send("\x03");
  EXPECT_EQ(console.status(), 130);
  EXPECT_TRUE(console.is_canonical());
}

TEST(Terminal, CtrlBackslashQuitsTheCommandInside) {
  NEEDS(user_namespaces, pty);
  Console console({keeper(), "sh", "-c", "ulimit -c 0; echo ready; exec sleep 600"});
  SHOWS(console, "ready");
  console.send("\x1c");
  EXPECT_EQ(console.status(), 131);
}

TEST(Terminal, WindowSizeIsTheCallersAndFollowsIt) {
  NEEDS(user_namespaces, pty);
  Console console = keep("stty size; trap 'stty size' WINCH; echo ready; read x; read y");
  SHOWS(console, "24 80");
  SHOWS(console, "ready");
  console.resize(50, 132);
  console.send("\n");
  SHOWS(console, "50 132");
}

TEST(Terminal, ModeIsRestoredAfterTheCommandChangedIts) {
  NEEDS(user_namespaces, pty);
  Shell shell;
  SHOWS(shell, "> ");
  shell.send("$K stty raw -echo; stty -a | grep -o ' -\\?icanon'; echo st''atus\n");
  SHOWS(shell, " icanon");
  SHOWS(shell, "status");
}

TEST(Terminal, ModeIsRestoredWhenTheKeeperIsTerminated) {
  NEEDS(user_namespaces, pty);
  for (int signal : {SIGTERM, SIGHUP}) {
    Console console({keeper(), "sh", "-c", "echo ready; exec sleep 600"});
    SHOWS(console, "ready");
    EXPECT_FALSE(console.is_canonical());
    ::kill(console.pid(), signal);
    EXPECT_EQ(console.status(), 128 + signal);
    EXPECT_TRUE(console.is_canonical());
  }
}

TEST(Terminal, CtrlZStopsTheJobAndFgContinuesIt) {
  NEEDS(user_namespaces, pty);
  Shell shell;
  SHOWS(shell, "> ");
  shell.send("$K sh -c 'echo re''ady; read x; echo got $x; read y; echo got $y'\n");
  SHOWS(shell, "ready");
  shell.send("\x1a");
  SHOWS(shell, "Stopped");
  shell.send("echo shell $((1 + 1))\n");
  SHOWS(shell, "shell 2");
  shell.send("fg\n");
  SHOWS(shell, "fg\r\n");
  SHOWS(shell, "read y");
  shell.send("one\n");
  SHOWS(shell, "got one");
  shell.send("\x1a");
  SHOWS(shell, "Stopped");
  shell.send("fg\n");
  SHOWS(shell, "read y");
  shell.send("two\n");
  SHOWS(shell, "got two");
  SHOWS(shell, "> ");
}

TEST(Terminal, NothingInsideRunsWhileTheJobIsStopped) {
  NEEDS(user_namespaces, pty);
  TempDir folder;
  Shell shell;
  SHOWS(shell, "> ");
  // A child in a session of its own is not stopped by Ctrl-Z itself.
  shell.send("cd " + folder.path() +
             "\n$K sh -c 'setsid sh -c \"while :; do echo x >> log; done\" & "
             "echo re''ady; read x'\n");
  SHOWS(shell, "ready");
  shell.send("\x1a");
  SHOWS(shell, "Stopped");
  shell.send(
      "a=$(stat -c %s log); for i in $(seq 300); do /bin/true; done;"
      "b=$(stat -c %s log); [ $a = $b ] && echo qui''et || echo bu''sy\n");
  ASSERT_TRUE(shell.shows("quiet")) << shell.rest();
  shell.send("kill -9 %1\n");
}

TEST(Terminal, ABackgroundJobLeavesTheTerminalAloneAndFgGivesItTheKeys) {
  NEEDS(user_namespaces, pty);
  Shell shell;
  SHOWS(shell, "> ");
  shell.send("$K sh -c 'echo back''ground; read x; echo got $x' &\n");
  SHOWS(shell, "background");
  shell.send("echo shell $((1 + 1))\n");
  SHOWS(shell, "shell 2");
  shell.send("fg\n");
  SHOWS(shell, "got $x");
  shell.send("key\n");
  SHOWS(shell, "got key");
  SHOWS(shell, "> ");
}

TEST(Terminal, AFullScreenProgramWorks) {
  NEEDS(user_namespaces, pty, tool("vi"));
  TempDir folder;
  std::string file = folder.path() + "/text";
  Console console({"env", "TERM=xterm", keeper(), "vi", "-u", "NONE", file});
  SHOWS(console, "~");
  console.send("ihello from inside\x1b:wq\n");
  EXPECT_EQ(console.status(), 0);
  std::string line;
  std::ifstream text(file);
  std::getline(text, line);
  EXPECT_EQ(line, "hello from inside");
  EXPECT_TRUE(console.is_canonical());
}

TEST(Terminal, APipeBesideATerminalStaysByteExact) {
  NEEDS(user_namespaces, pty);
  TempDir folder;
  Console console({"sh", "-c",
                   keeper() + " sh -c 'printf \"a\\nb\\n\"; echo tty >&2' > " + folder.path() +
                       "/out; cmp " + folder.path() + "/out - <<E && echo same\na\nb\nE"});
  SHOWS(console, "tty\r\n");
  SHOWS(console, "same");
}

TEST(Terminal, OutputLimitCountsWhatTheTerminalShows) {
  NEEDS(user_namespaces, pty);
  Console console({"env", "KEEPER_OUTPUT=1000", keeper(), "yes"});
  while (console.shows("y\r\n")) {
  }
  EXPECT_EQ(console.status(), 121);
  EXPECT_TRUE(console.is_canonical());
}

TEST(TerminalEscape, NoDescriptorOfTheCallersTerminalEnters) {
  NEEDS(user_namespaces, pty);
  std::string own = "stat -L -c %t:%T:%i /proc/self/fd/0";
  Console same({"sh", "-c", "[ \"$(" + own + ")\" = \"$(sh -c '" + own + "')\" ] && echo same"});
  SHOWS(same, "same") << "the control";
  Console console(
      {"sh", "-c",
       "[ \"$(" + own + ")\" != \"$(" + keeper() + " " + own + ")\" ] && echo differs"});
  SHOWS(console, "differs");
}

}  // namespace
}  // namespace ward::test
