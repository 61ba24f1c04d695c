// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Outcome: how an execution ended, in one vocabulary for every layer, the journal, the results and
// the API. A value; safe from any thread. The exit status is what `ward run` and `ward exec`
// return; a program can return any number itself, so the outcome in the result file is the
// authoritative one. The numbers below 124 continue timeout(1)'s convention downwards and are
// Ward's own.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"

namespace ward {

// The command ended by itself. Exit status: its code.
struct Exited {
  int code = 0;
};
// A signal ended the command. Exit status: 128 + signal.
struct Signalled {
  int signal = 0;
};
// Ward ended the run because of its policy; `what` names the act. Exit status 123.
struct PolicyKilled {
  std::string what;
};
// The wall limit passed. Exit status 124.
struct TimedOut {};
// The memory limit was reached and the kernel killed the command. Exit status 122.
struct OutOfMemory {};
// The output limit was reached; what came before it was delivered. Exit status 121.
struct OutputLimit {};
// A caller asked for the end of the execution. Exit status 120.
struct Cancelled {};
// The sandbox's deadline passed. Exit status 119.
struct Expired {};
// Nothing was run. Exit status 125 when the sandbox could not be made, 126 when the command cannot
// be executed, 127 when it was not found.
struct SetupFailed {
  enum class Reason { sandbox, not_executable, not_found };
  Error error;
  Reason reason = Reason::sandbox;
};

using Outcome = std::variant<Exited, Signalled, PolicyKilled, TimedOut, OutOfMemory, OutputLimit,
                             Cancelled, Expired, SetupFailed>;

// The outcome of a wait status (waitpid(2)) of a process that ended.
Outcome outcome_of_wait_status(int wait_status);

int exit_status(const Outcome& outcome);

// The stable name used in JSON, the journal and the API: "exited", "signalled", "policy-killed",
// "timed-out", "out-of-memory", "output-limit", "cancelled", "expired", "setup-failed".
std::string_view outcome_name(const Outcome& outcome);

// The name with its value: "exited(0)", "signalled(15)", "policy-killed(created .git/hooks)",
// "timed-out", "setup-failed(mask /home/u: Permission denied)".
std::string describe(const Outcome& outcome);

}  // namespace ward
