// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_review.h"

#include "cli/review_common.h"
#include "review/changes.h"

namespace ward::cli {

RunReview::RunReview(std::string state_folder, review::HeldInfo info)
    : state_folder_(std::move(state_folder)), info_(std::move(info)) {}

RunReview::~RunReview() {
  if (!held_ || keep_) return;
  if (Status removed = std::move(*held_).remove(); !removed) warn(removed.error().describe());
}

Result<std::string> RunReview::hold(const confine::PathPlan& plan) {
  WARD_ASSIGN(held_, review::HeldChange::create(state_folder_, info_, plan));
  return held_->folder();
}

ReviewReport RunReview::ended(const process::RunResult& result,
                              std::vector<std::string>& warnings) {
  ReviewReport report{info_.id, 0, info_.deadline};
  if (!held_) return report;
  keep_ = true;
  if (Status noted = held_->note_outcome(describe(result.outcome)); !noted)
    warnings.push_back("the held changes: " + noted.error().describe());
  Result<review::Changes> changes = review::list_changes(*held_);
  if (!changes) {
    warnings.push_back("the held changes could not be counted: " + changes.error().describe());
    return report;
  }
  report.changes = changes->list.size();
  keep_ = report.changes > 0;
  if (!keep_) return report;
  if (Status sealed = held_->seal(*changes); !sealed)
    warnings.push_back("the held changes: " + sealed.error().describe());
  note_review(state_folder_, journal::EventKind::review_held, info_.id,
              journal::Payload()
                  .set_number("changes", static_cast<std::int64_t>(report.changes))
                  .set("deadline", deadline_text(report.deadline)),
              warnings);
  return report;
}

}  // namespace ward::cli
