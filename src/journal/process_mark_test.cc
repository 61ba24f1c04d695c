// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/process_mark.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ward::journal {
namespace {

TEST(ProcessMark, OfSelfIsRunning) {
  const auto mark = mark_of_self();
  ASSERT_TRUE(mark) << mark.error().describe();
  EXPECT_EQ(mark->pid, ::getpid());
  EXPECT_EQ(liveness(*mark), Liveness::running);
}

TEST(ProcessMark, IsGoneWhenThePidBelongsToALaterProcess) {
  ProcessMark mark = mark_of_self().value();
  mark.start_ticks -= 1;
  EXPECT_EQ(liveness(mark), Liveness::gone);
}

TEST(ProcessMark, IsGoneAfterAReboot) {
  ProcessMark mark = mark_of_self().value();
  mark.boot = "00000000-0000-0000-0000-000000000000";
  EXPECT_EQ(liveness(mark), Liveness::gone);
}

TEST(ProcessMark, IsUnknownFromAnotherPidNamespace) {
  ProcessMark mark = mark_of_self().value();
  mark.pid_namespace += 1;
  EXPECT_EQ(liveness(mark), Liveness::unknown);
  EXPECT_EQ(liveness(ProcessMark{}), Liveness::unknown);
}

TEST(ProcessMark, IsGoneWhenTheProcessEndedReapedOrNot) {
  int ready[2];
  int go[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(go), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const ProcessMark mark = mark_of_self().value_or(ProcessMark{});
    const ssize_t sent = ::write(ready[1], &mark.start_ticks, sizeof mark.start_ticks);
    char byte = 0;
    ::_exit(sent > 0 && ::read(go[0], &byte, 1) == 1 ? 0 : 1);
  }
  ProcessMark mark = mark_of_self().value();
  mark.pid = child;
  ASSERT_EQ(::read(ready[0], &mark.start_ticks, sizeof mark.start_ticks),
            static_cast<ssize_t>(sizeof mark.start_ticks));
  EXPECT_EQ(liveness(mark), Liveness::running);
  ASSERT_EQ(::write(go[1], "x", 1), 1);
  siginfo_t info = {};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(liveness(mark), Liveness::gone);  // a zombie
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(liveness(mark), Liveness::gone);
}

}  // namespace
}  // namespace ward::journal
