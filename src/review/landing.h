// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Landing: bringing held changes to the host's files. First every change is checked, against the
// policy as it is now and against what the host did meanwhile; then each is landed by one atomic
// step (a file is written beside its place and renamed onto it). Killed at any point, a second
// landing finds what is left to do and does it. Paths are resolved beneath the root without
// following links; set-id bits, owners other than the user's and attributes are not taken over. One
// thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "confine/path_plan.h"
#include "review/changes.h"

namespace ward::review {

struct Refused {
  std::string path;
  std::string why;
};

// What else speaks against a change: "" for nothing. Gets the change and its full path.
using Objection = std::function<std::string(const Change&, const std::string&)>;

// Why these changes cannot be landed: what the policy denies, what is always protected, what
// conflicts with the host, what is no file, folder or link. Empty: all of them can.
std::vector<Refused> check_landing(const HeldInfo& info, std::span<const Change> changes,
                                   const confine::PathPlan& plan, const Objection& objection);

// The changes at these full paths and below, and the new folders that lead there. not_found where
// nothing changed at one of them.
Result<std::vector<Change>> select_changes(const HeldInfo& info, const std::vector<Change>& all,
                                           const std::vector<std::string>& paths);

// Lands them all; they have been checked. `before_step` is called before each step that changes the
// host: for tests, which end the process there.
Status land(HeldChange& held, std::span<const Change> changes,
            const std::function<void()>& before_step = {});

// Removes the unfinished file that a killed landing may have left beside its place.
Status remove_unfinished(const HeldChange& held, std::span<const Change> changes);

}  // namespace ward::review
