// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Held changes as text and as JSON. The sandboxed program chose every name and every line, so all
// of it is escaped: a line of a file that holds nothing but visible characters, blanks and
// backslashes is printed as it is, any other is escaped and says so. Pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "review/changes.h"
#include "review/diff.h"
#include "review/held.h"

namespace ward::cli {

std::string held_list_text(std::span<const review::HeldSummary> list, review::Deadline now);
std::string held_list_json(std::span<const review::HeldSummary> list);

// One change in a line, without its content.
std::string change_text(const review::HeldInfo& info, const review::Change& change);
// Hunks, line by line.
std::string hunks_text(const std::string& hunks);

// The difference of one change is at the same index of `diffs`, which may be empty.
std::string changes_json(const review::HeldInfo& info, std::span<const review::Change> changes,
                         std::span<const review::FileDiff> diffs);

}  // namespace ward::cli
