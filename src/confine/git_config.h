// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The few keys of a git configuration file that say where git finds something to execute, or which
// folder a git folder belongs to. A parser of untrusted text: it takes what git would take, skips
// what it does not understand, and includes nothing by itself. Pure. Source: git-config(1),
// "SYNTAX".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ward::confine {

struct GitConfig {
  std::string worktree;                 // core.worktree, the last one
  std::vector<std::string> hook_paths;  // core.hooksPath, each one
  std::vector<std::string> includes;    // include.path and includeIf.*.path, each one
};

GitConfig parse_git_config(std::string_view text);

}  // namespace ward::confine
