// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// RunJournal: the records of one run. A journal that cannot be written never keeps a run from going
// on or from having a result: what went wrong becomes a warning. Owned by one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "confine/path_plan.h"
#include "journal/journal.h"
#include "layers/process/run.h"
#include "policy/lint.h"

namespace ward::cli {

class RunJournal {
 public:
  // Costs nothing; the database is opened by start(), after the clone.
  RunJournal(const std::string& state_folder, std::string run);

  // The SHA-256 of the plan's printed form, in hexadecimal: which policy was in force.
  static std::string policy_hash(const confine::PathPlan& plan);
  // The record before the command, and one for each override that was used.
  void start(const std::vector<std::string>& command, const std::string& working_directory,
             const std::string& workspace, const std::vector<policy::Finding>& findings,
             const std::string& policy_hash, std::vector<std::string>& warnings);
  // Lines of the egress log.
  void egress(std::span<const egress::Record> records, std::vector<std::string>& warnings);
  // The network's rules were changed, or could not be: then `error` says why.
  void gate_decided(const egress::Ask& ask, const egress::Decision& decision,
                    std::vector<std::string>& warnings);
  void reloaded(const std::string& error, std::vector<std::string>& warnings);
  // The denials and the end.
  void end(const process::RunResult& result, std::vector<std::string>& warnings);

 private:
  std::unique_ptr<journal::Journal> journal_;
  std::string state_folder_;
  std::string run_;
};

}  // namespace ward::cli
