// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/journal.h"

namespace ward::journal {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::journal_created: return "journal-created";
    case EventKind::run_started: return "run-started";
    case EventKind::run_ended: return "run-ended";
    case EventKind::denied: return "denied";
    case EventKind::override_used: return "override-used";
    case EventKind::review_held: return "review-held";
    case EventKind::review_applied: return "review-applied";
    case EventKind::review_discarded: return "review-discarded";
    case EventKind::review_expired: return "review-expired";
    case EventKind::policy_trusted: return "policy-trusted";
    case EventKind::gate_decided: return "gate-decided";
    case EventKind::egress: return "egress";
    case EventKind::policy_reloaded: return "policy-reloaded";
  }
  return "unknown";
}

}  // namespace ward::journal
