// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PathEntry: one entry of a path list as its author wrote it, checked and normalised, its token not
// yet expanded. Expanding gives one absolute pattern for each thing that the token stands for: `.`
// and relative paths for each workspace, `~` for the home folder, `@tmp` for the caller's temporary
// folder. Pure values and functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/load.h"

namespace ward::policy {

struct PathEntry {
  enum class Base : std::uint8_t { root, workspace, home, temp, programs };
  Base base = Base::root;
  int up = 0;           // of a workspace: leading `..`
  std::string rest;     // below the base, without leading slash; "" is the base itself
  bool literal = true;  // `rest` has no wildcard
  std::string written;
};

enum class Spelling : std::uint8_t { pattern, literal };

// Refuses what makes no sense: an empty path, variables, another user's home, `..` after a name, a
// broken pattern.
Result<PathEntry> parse_path_entry(std::string_view written, Spelling spelling);

struct ExpandedPath {
  std::string pattern;
  bool literal = true;
};
// `workspaces` are those of the document; `place` gives the rest.
std::vector<ExpandedPath> expand(const PathEntry& entry, const Place& place,
                                 const std::vector<std::string>& workspaces);

// The parent folder, lexically; "/" of "/".
std::string_view parent_of(std::string_view path);
// Whether `path` is `folder` or lies below it, lexically.
bool is_within(std::string_view path, std::string_view folder);
// Collapses `//`, `.` and `..` of an absolute path, and drops a trailing slash.
std::string lexically_normal(std::string_view path);

}  // namespace ward::policy
