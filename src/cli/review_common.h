// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the commands around held changes share: their journal events, how a deadline prints, and
// that whatever is past its deadline goes first. Stateless.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "journal/journal.h"
#include "review/held.h"

namespace ward::cli {

// An event about the changes of a run. A journal that cannot be written becomes a warning.
void note_review(const std::string& state_folder, journal::EventKind kind, const std::string& run,
                 journal::Payload payload, std::vector<std::string>& warnings);

// "2026-12-07T05:00:00Z".
std::string deadline_text(review::Deadline deadline);
// "6d 23h", "12m"; "now" where nothing is left.
std::string span_text(std::chrono::seconds span);
review::Deadline now_seconds();

// Removes held changes past their deadline, and says so in the journal and in `warnings`; and what
// a killed `ward policy learn` left.
Status sweep_held(const std::string& state_folder, std::vector<std::string>& warnings);

// The full paths that words of a command line name, links in their folders resolved.
Result<std::vector<std::string>> held_paths(const std::vector<std::string>& words,
                                            const std::string& cwd);

// "ward: TEXT" on stderr, escaped.
void warn(const std::string& text);
int fail_with(const Error& error, int status);

}  // namespace ward::cli
