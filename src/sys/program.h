// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs one of the system's own tools (busctl) to its end and takes what it printed. Never for what
// a sandbox runs. The program gets exactly the environment named, no input, and no descriptor but
// the pipe. Any thread. Source: posix_spawn(3).
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "base/result.h"

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

}  // namespace ward::sys
