// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs one program to its end and keeps what it said: for tests of the command line and of what
// happens inside sandboxes. The child gets exactly the environment asked for. A program that
// outlives its deadline is killed with its process group and reported as such, so a hang fails one
// test and not the suite.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ward::test {

struct RunOptions {
  std::string stdin_text;                  // what the program reads, then end of file
  std::string cwd;                         // empty: the test's own
  std::map<std::string, std::string> env;  // on top of PATH, HOME, USER, LANG and TMPDIR, if set
  std::chrono::seconds deadline{60};
};

struct RunResult {
  int status = -1;    // exit status as a shell shows it: the code, or 128 + the signal
  bool hung = false;  // the deadline passed and it was killed
  std::string out;
  std::string err;
};

// Prints itself in a failed expectation.
void PrintTo(const RunResult& result, std::ostream* out);

RunResult run(const std::vector<std::string>& command, const RunOptions& options = {});

// run() of the ward binary with these arguments.
RunResult run_ward(const std::vector<std::string>& arguments, const RunOptions& options = {});

}  // namespace ward::test
