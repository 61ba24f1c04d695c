// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What would be executed outside once it is landed. The repositories of the start are protected by
// the plan; a run may make new ones, whose hooks, configuration and editor settings nobody has
// looked at. Over-approximates: a line of a git configuration that is not known to be harmless is
// named. Pure but for reading the held files.
#pragma once

#include <set>
#include <string>

#include "review/changes.h"

namespace ward::review {

class ExecutedNames {
 public:
  ExecutedNames(const HeldChange& held, const std::vector<Change>& changes);

  // Who would execute it, or ""; for landing's check.
  std::string objection(const Change& change) const;

 private:
  std::string in_git_folder(const Change& change, const std::string& rest) const;

  const HeldChange& held_;
  // Folders that git takes for a git folder, and those that hold one, as "ROOT/PATH".
  std::set<std::string> git_folders_, top_folders_;
};

// The first line of a git configuration that may make git execute something; "" for none.
std::string executing_line(const std::string& config);

}  // namespace ward::review
