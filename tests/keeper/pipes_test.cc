// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/needs.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace ward::test {
namespace {

using testing::PrintToString;

std::string keeper() { return case_program("open_keeper"); }

// Runs a shell script in which $K is the keeper.
RunResult script(const std::string& text, RunOptions options = {}) {
  options.env["K"] = keeper();
  return run({"bash", "-c", text}, options);
}

std::string every_byte(std::size_t times) {
  std::string bytes;
  for (std::size_t i = 0; i < times; ++i)
    for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  return bytes;
}

TEST(Keeper, ExitStatusIsTheCommandsOwn) {
  NEEDS(user_namespaces);
  EXPECT_EQ(script("$K sh -c 'exit 37'").status, 37);
}

TEST(Keeper, KillTermOfItselfGives143) {
  NEEDS(user_namespaces);
  EXPECT_EQ(script("$K sh -c 'kill -TERM $$'").status, 143);
}

TEST(Keeper, AMissingCommandGives127AndAFolderGives126) {
  NEEDS(user_namespaces);
  EXPECT_EQ(script("$K ./no-such-command").status, 127);
  EXPECT_EQ(script("$K /etc").status, 126);
}

TEST(Keeper, EveryByteGoesThroughPipesUnchanged) {
  NEEDS(user_namespaces);
  std::string bytes = every_byte(2000);
  RunResult result = run({keeper(), "cat"}, {.stdin_text = bytes});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.out == bytes) << result.out.size() << " of " << bytes.size() << " bytes";
}

TEST(Keeper, EveryByteGoesThroughFilesUnchanged) {
  NEEDS(user_namespaces);
  TempDir folder;
  std::string bytes = every_byte(2000);
  std::ofstream(folder.path() + "/in") << bytes;
  RunResult result = script("$K cat < in > out && cmp in out", {.cwd = folder.path()});
  EXPECT_EQ(result.status, 0) << PrintToString(result);
}

TEST(Keeper, AppendingKeepsWhatWasThere) {
  NEEDS(user_namespaces);
  TempDir folder;
  RunResult result =
      script("echo a > log; $K echo b >> log; echo c >> log; cat log", {.cwd = folder.path()});
  EXPECT_EQ(result.out, "a\nb\nc\n");
}

TEST(Keeper, OutputAndErrorOfOneFileKeepTheirOrder) {
  NEEDS(user_namespaces);
  std::string expected;
  for (int i = 0; i < 100; ++i) expected += "out\nerr\n";
  RunResult result =
      script("$K sh -c 'for i in $(seq 100); do echo out; echo err >&2; done' 2>&1 | cat");
  EXPECT_EQ(result.out, expected);
}

TEST(Keeper, OutputAndErrorStayApart) {
  NEEDS(user_namespaces);
  RunResult result = script("$K sh -c 'echo out; echo err >&2'");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST(Keeper, AReaderThatGoesAwayEndsTheCommandBySigpipe) {
  NEEDS(user_namespaces);
  EXPECT_EQ(script("yes | head -1; echo ${PIPESTATUS[0]}").out, "y\n141\n") << "the control";
  EXPECT_EQ(script("$K yes | head -1; echo ${PIPESTATUS[0]}").out, "y\n141\n");
}

TEST(Keeper, AWriterIsToldThatTheCommandClosedItsInput) {
  NEEDS(user_namespaces);
  RunResult result = script("yes | $K head -1; echo ${PIPESTATUS[@]}");
  EXPECT_EQ(result.out, "y\n141 0\n");
}

TEST(Keeper, APipelineInsideEndsWithItsWriters) {
  NEEDS(user_namespaces);
  EXPECT_EQ(script("$K sh -c 'seq 1000 | wc -l' | wc -l", {}).out, "1\n");
  EXPECT_EQ(script("seq 1000 | $K wc -l").out, "1000\n");
}

TEST(Keeper, ClosedDescriptorsBecomeDevNull) {
  NEEDS(user_namespaces);
  RunResult result = script("$K sh -c 'readlink /proc/self/fd/0 >&2' <&- >&-");
  EXPECT_EQ(result.err, "/dev/null\n");
  EXPECT_EQ(result.status, 0);
}

TEST(Keeper, ADirectoryAsInputIsRefusedByName) {
  RunResult result = script("$K cat < /etc");
  EXPECT_EQ(result.status, 125);
  EXPECT_NE(result.err.find("standard input (descriptor 0) is a directory"), std::string::npos)
      << result.err;
}

TEST(Keeper, AnInputOpenedForWritingIsRefused) {
  TempDir folder;
  RunResult result = script("$K cat 0> file", {.cwd = folder.path()});
  EXPECT_EQ(result.status, 125);
  EXPECT_NE(result.err.find("is not open for reading"), std::string::npos) << result.err;
}

TEST(Keeper, AFullDiskIsReportedAndDoesNotHang) {
  NEEDS(user_namespaces);
  TempDir folder;
  RunResult result = script("KEEPER_RESULT=$PWD/result $K echo hi > /dev/full; cat result",
                            {.cwd = folder.path()});
  EXPECT_EQ(result.out, "exited(0)\nwrite fd 1: No space left on device\n");
}

// What the command did not read stays for whoever shares the caller's standard input.

TEST(KeeperInput, LeavesTheRestOfAPipeToTheCaller) {
  NEEDS(user_namespaces);
  std::string feed = "printf 'one\\ntwo\\nthree\\n' | { ";
  EXPECT_EQ(script(feed + "head -c4; cat; }").out, "one\ntwo\nthree\n") << "the control";
  EXPECT_EQ(script(feed + "$K head -c4; cat; }").out, "one\ntwo\nthree\n");
  EXPECT_EQ(script(feed + "$K true; cat; }").out, "one\ntwo\nthree\n");
}

TEST(KeeperInput, LeavesTheRestOfAFileToTheCaller) {
  NEEDS(user_namespaces);
  TempDir folder;
  std::ofstream(folder.path() + "/in") << "one\ntwo\nthree\n";
  RunResult result = script("{ $K head -c4 | cat; $K true; cat; } < in", {.cwd = folder.path()});
  EXPECT_EQ(result.out, "one\ntwo\nthree\n");
}

TEST(KeeperInput, AShellThatReadsItsScriptFromAPipeGoesOnWithIt) {
  NEEDS(user_namespaces);
  RunResult result = script("printf '%s\\n' '$K true' 'echo next' '$K echo more' | bash");
  EXPECT_EQ(result.out, "next\nmore\n");
}

TEST(KeeperInput, LeavesTheRestOfALongPipeToTheCaller) {
  NEEDS(user_namespaces);
  RunResult result = script(
      "seq 100000 | { $K dd bs=1 count=300001 status=none; cat; } | md5sum;"
      "seq 100000 | md5sum");
  ASSERT_EQ(result.out.size(), 72U) << PrintToString(result);
  EXPECT_EQ(result.out.substr(0, 36), result.out.substr(36));
}

// The attack of stdio.h: re-opening standard input for writing.

constexpr const char* kInject =
    "printf '%s\\n' \"$RUN sh -c 'exec 9<&0; echo echo injected |"
    " dd of=/proc/self/fd/9 oflag=nonblock conv=notrunc status=none 2>/dev/null'\" 'echo end' | "
    "bash";

TEST(KeeperEscape, ACommandCannotWriteIntoItsCallersScript) {
  NEEDS(user_namespaces);
  EXPECT_EQ(script("RUN=env; export RUN; " + std::string(kInject)).out, "end\ninjected\n")
      << "the control: without the keeper the injected line runs";
  EXPECT_EQ(script("RUN=$K; export RUN; " + std::string(kInject)).out, "end\n");
}

TEST(KeeperEscape, ACommandCannotReopenItsInputFileForWriting) {
  NEEDS(user_namespaces);
  TempDir folder;
  std::string overwrite = " sh -c 'echo bad > /proc/self/fd/0' < in; cat in";
  std::string fill = "echo good > in; ";
  EXPECT_EQ(script(fill + "env" + overwrite, {.cwd = folder.path()}).out, "bad\n") << "the control";
  EXPECT_EQ(script(fill + "$K" + overwrite, {.cwd = folder.path()}).out, "good\n");
}

TEST(KeeperEscape, ACommandThatEnlargesItsInputPipeStillGetsItsInput) {
  NEEDS(user_namespaces);
  NEEDS(tool("python3"));
  RunResult result = script(
      "yes | head -c 300000 | $K python3 -c 'import fcntl,sys\nfcntl.fcntl(0,1031,1<<20)\n"
      "sys.stdout.write(str(len(sys.stdin.buffer.read())))'");
  EXPECT_EQ(result.out, "300000");
}

// Limits.

TEST(KeeperLimits, OutputBeyondTheLimitIsCutAndEndsTheRun) {
  NEEDS(user_namespaces);
  TempDir folder;
  for (const char* to : {"cat", "cat > file; cat file"}) {
    RunResult result = script(
        "{ KEEPER_OUTPUT=100001 KEEPER_RESULT=$PWD/result $K yes;"
        " echo $? >&2; } | " +
            std::string(to),
        {.cwd = folder.path()});
    EXPECT_EQ(result.out.size(), 100001U);
    EXPECT_EQ(result.err, "121\n");
    std::ifstream text(folder.path() + "/result");
    std::string outcome;
    std::getline(text, outcome);
    EXPECT_EQ(outcome, "output-limit");
  }
}

TEST(KeeperLimits, OutputIntoAFileIsCutAtTheSameByte) {
  NEEDS(user_namespaces);
  TempDir folder;
  RunResult result =
      script("KEEPER_OUTPUT=70000 $K yes > file; echo $?; stat -c %s file", {.cwd = folder.path()});
  EXPECT_EQ(result.out, "121\n70000\n");
}

TEST(KeeperLimits, OutputOfExactlyTheLimitIsNoCut) {
  NEEDS(user_namespaces);
  EXPECT_EQ(script("KEEPER_OUTPUT=3 $K echo hi").status, 0);
  RunResult cut = script("KEEPER_OUTPUT=2 $K echo hi");
  EXPECT_EQ(cut.status, 121);
  EXPECT_EQ(cut.out, "hi");
}

TEST(KeeperLimits, TheWallLimitEndsACommandThatIgnoresTerm) {
  NEEDS(user_namespaces);
  RunResult result = script(
      "KEEPER_WALL_MS=100 $K sh -c 'trap \"\" TERM; echo begun; sleep 600 & wait; sleep 600'");
  EXPECT_EQ(result.status, 124);
  EXPECT_EQ(result.out, "begun\n");
}

TEST(KeeperLimits, AtTheWallLimitTheCommandMayTidyUp) {
  NEEDS(user_namespaces);
  RunResult result = script(
      "KEEPER_WALL_MS=100 KEEPER_GRACE_MS=20000 $K sh -c 'trap \"echo tidy; exit 0\" TERM;"
      " sleep 600 & wait'");
  EXPECT_EQ(result.status, 124);
  EXPECT_EQ(result.out, "tidy\n");
}

TEST(KeeperLimits, AReaderThatTakesNothingDoesNotOutliveTheWallLimit) {
  NEEDS(user_namespaces);
  TempDir folder;
  RunResult result = script(
      "mkfifo gate; { KEEPER_WALL_MS=200 KEEPER_RESULT=$PWD/result $K sh -c 'seq 40000';"
      " echo $? > gate; } | { read status < gate; echo $status; cat result; }",
      {.cwd = folder.path()});
  EXPECT_NE(result.out.find("did not take the output"), std::string::npos) << PrintToString(result);
}

// Signals.

TEST(KeeperSignals, AForwardedSignalReachesTheCommandsTrap) {
  NEEDS(user_namespaces);
  for (const char* name : {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "ALRM"}) {
    std::string signal = name;
    RunResult result = script("coproc $K sh -c 'trap \"echo got; exit 5\" " + signal +
                              "; echo ready; sleep 600 & wait'\n"
                              "read line <&${COPROC[0]}; kill -" +
                              signal +
                              " $COPROC_PID;"
                              "read line <&${COPROC[0]}; echo $line; wait $COPROC_PID; echo $?");
    EXPECT_EQ(result.out, "got\n5\n") << name;
  }
}

TEST(KeeperSignals, ADeadlySignalGives128PlusItsNumber) {
  NEEDS(user_namespaces);
  RunResult result = script(
      "coproc $K sh -c 'echo ready; exec sleep 600'\n"
      "read line <&${COPROC[0]}; pid=$COPROC_PID; kill -TERM $pid; wait $pid; echo $?");
  EXPECT_EQ(result.out, "143\n");
}

TEST(KeeperSignals, ACommandThatIgnoresTermGoesOn) {
  NEEDS(user_namespaces);
  RunResult result = script(
      "coproc $K sh -c 'trap \"\" TERM; echo ready; read x; echo on'\n"
      "read line <&${COPROC[0]}; kill -TERM $COPROC_PID; kill -TERM $COPROC_PID;"
      "echo >&${COPROC[1]}; read line <&${COPROC[0]}; echo $line");
  EXPECT_EQ(result.out, "on\n");
}

TEST(KeeperSignals, SigkillOfTheKeeperLeavesNothingBehind) {
  NEEDS(user_namespaces);
  // The pipe's end of file is the proof: every process inside holds its other end.
  RunResult result = script(
      "coproc $K sh -c 'echo ready; (setsid sleep 600 &); sleep 600' \n exec 3<&${COPROC[0]};"
      "read line <&3; kill -KILL $COPROC_PID; wait $COPROC_PID; echo $?; cat <&3",
      {});
  EXPECT_EQ(result.out, "137\n");
}

TEST(KeeperSignals, BackgroundChildrenEndWithTheCommand) {
  NEEDS(user_namespaces);
  RunResult result = script("$K sh -c 'sleep 600 & echo hi' | cat");
  EXPECT_EQ(result.out, "hi\n");
  EXPECT_FALSE(result.hung);
}

}  // namespace
}  // namespace ward::test
