// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs one of the system's own tools (busctl) to its end and takes what it printed, or starts one
// of Ward's own programs beside this one. Never for what a sandbox runs. The program gets exactly
// the environment named, no input, and no descriptor but those named. Any thread. Sources:
// posix_spawn(3), pidfd_open(2).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <span>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

struct ProgramRun {
  std::span<const std::string> argv;  // argv[0] is an absolute path
  std::span<const std::string> env;
  const char* folder = nullptr;  // where it starts; null: where the caller is
  std::chrono::milliseconds patience = std::chrono::seconds(10);
};

struct ProgramEnd {
  int exit_status = 0;  // 128+n where signal n ended it
  std::string output;   // standard output and error together, cut at 64 KiB
};

Result<ProgramEnd> run_program(const ProgramRun& run);

struct StartedProgram {
  pid_t pid = -1;
  UniqueFd process;  // a pidfd
};

// Starts a program without waiting for it, in a session of its own (so that no key of a terminal
// reaches it), with an empty environment, `channel` as its descriptor `as`, standard error as it is
// here, and nothing else. The caller reaps it.
Result<StartedProgram> start_program(std::span<const std::string> argv, int channel, int as);
// Waits at most `patience` for its end, then kills it; reaps it and returns its wait status.
int end_program(pid_t pid, int process, std::chrono::milliseconds patience);

}  // namespace ward::sys
