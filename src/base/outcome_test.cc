// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/outcome.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <vector>

namespace ward {
namespace {

TEST(Outcome, ExitStatusIsTheCommandsOwnCode) {
  for (int code : {0, 1, 37, 255}) EXPECT_EQ(exit_status(Exited{code}), code);
}

TEST(Outcome, SignalNBecomes128PlusN) {
  EXPECT_EQ(exit_status(Signalled{SIGTERM}), 143);
  EXPECT_EQ(exit_status(Signalled{SIGKILL}), 137);
  EXPECT_EQ(exit_status(Signalled{SIGPIPE}), 141);
}

TEST(Outcome, TheContractedNumbersHold) {
  Error error(ErrorKind::unsupported, "no user namespaces");
  EXPECT_EQ(exit_status(TimedOut{}), 124);
  EXPECT_EQ(exit_status(SetupFailed{error}), 125);
  EXPECT_EQ(exit_status(SetupFailed{error, SetupFailed::Reason::not_executable}), 126);
  EXPECT_EQ(exit_status(SetupFailed{error, SetupFailed::Reason::not_found}), 127);
}

TEST(Outcome, EveryEndByWardHasItsOwnStatusAndName) {
  std::vector<Outcome> outcomes = {PolicyKilled{"x"},
                                   TimedOut{},
                                   OutOfMemory{},
                                   OutputLimit{},
                                   Cancelled{},
                                   Expired{},
                                   SetupFailed{Error(ErrorKind::bug, "x")}};
  std::set<int> statuses;
  std::set<std::string_view> names;
  for (const Outcome& outcome : outcomes) {
    statuses.insert(exit_status(outcome));
    names.insert(outcome_name(outcome));
  }
  EXPECT_EQ(statuses.size(), outcomes.size());
  EXPECT_EQ(names.size(), outcomes.size());
}

TEST(Outcome, TextNamesTheValueOfTheOutcome) {
  EXPECT_EQ(describe(Exited{3}), "exited(3)");
  EXPECT_EQ(describe(Signalled{15}), "signalled(15)");
  EXPECT_EQ(describe(PolicyKilled{"created .git/hooks"}), "policy-killed(created .git/hooks)");
  EXPECT_EQ(describe(TimedOut{}), "timed-out");
  EXPECT_EQ(describe(SetupFailed{Error(ErrorKind::denied, "clone3: EPERM")}),
            "setup-failed(clone3: EPERM)");
}

int wait_status_of(void (*body)()) {
  pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(99);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

TEST(Outcome, AWaitStatusBecomesExitedOrSignalled) {
  EXPECT_EQ(describe(outcome_of_wait_status(wait_status_of([] { ::_exit(37); }))), "exited(37)");
  EXPECT_EQ(describe(outcome_of_wait_status(wait_status_of([] { ::raise(SIGTERM); }))),
            "signalled(15)");
}

}  // namespace
}  // namespace ward
