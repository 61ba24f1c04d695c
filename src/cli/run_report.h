// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The report of a run: the JSON document of `--result`, which is the authoritative one since a
// program can print anything, and the short lines for a person at the terminal. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/run_review.h"
#include "layers/process/run.h"
#include "policy/load.h"

namespace ward::cli {

struct RunReport {
  std::string id;
  std::vector<std::string> command;
  std::string working_directory;
  const policy::Loaded* policy = nullptr;
  std::string policy_hash;
  const process::RunResult* result = nullptr;  // null where nothing was run
  const Error* error = nullptr;                // why nothing was run
  std::optional<ReviewReport> review;          // where the changes are held
  std::vector<std::string> warnings;           // the journal's state and the like
};

std::string to_json(const RunReport& report);
// Lines for stderr: what was denied and what to do, what the policy could not do. Escaped.
std::string for_terminal(const RunReport& report);
// Why nothing was run, and below it what to do about it, each line escaped.
std::string for_terminal(const Error& error);

}  // namespace ward::cli
