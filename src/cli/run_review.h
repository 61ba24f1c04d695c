// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// RunReview: the held changes of the run that is going on, for `ward run --review`. Made before the
// sandbox; where the run comes to nothing, or changed nothing, its destructor leaves nothing
// behind. Owned by one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layers/process/run.h"
#include "review/held.h"

namespace ward::cli {

// For the run's report.
struct ReviewReport {
  std::string id;
  std::size_t changes = 0;  // 0: nothing is held
  review::Deadline deadline;
};

class RunReview {
 public:
  RunReview(std::string state_folder, review::HeldInfo info);
  RunReview(const RunReview&) = delete;
  RunReview& operator=(const RunReview&) = delete;
  ~RunReview();

  // For RunRequest::hold.
  Result<std::string> hold(const confine::PathPlan& plan);
  // Counts what is held, and writes it down. What cannot be told becomes a warning; the changes
  // stay held then.
  ReviewReport ended(const process::RunResult& result, std::vector<std::string>& warnings);

 private:
  std::string state_folder_;
  review::HeldInfo info_;
  std::optional<review::HeldChange> held_;
  bool keep_ = false;
};

}  // namespace ward::cli
