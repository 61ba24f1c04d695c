// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// GitLayout: what one `.git` entry of a workspace stands for, and what of it git has to write for
// work in that folder: the git folder itself, or, through a `.git` file, that of a linked worktree
// or a submodule, wherever it lies. A `.git` file is written by whoever could write the workspace,
// so it is believed only where the git folder that it names, out of the sandbox's reach, names this
// folder back. Reads only; one thread. Source: gitrepository-layout(5).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "confine/git_config.h"
#include "confine/path_resolver.h"
#include "confine/protected.h"

namespace ward::confine {

struct GitLayout {
  std::vector<ProtectedPath> protect;  // never writable
  std::string link;                    // the entry, where it is no folder: may not be replaced
  std::vector<std::string> pins;       // git folders: no rename, no removal
  std::vector<std::string> write;      // outside the writable paths, to be made writable
  std::vector<std::string> read;       // needed to read, where the default is deny
  // Where something stays read-only that git may want to write: what, and the way out.
  std::string refused;
  std::string remedy;
};

struct GitSurroundings {
  std::string home;
  GitConfig user_config;  // of the user's own configuration files
  // Whether the policy alone makes a canonical path writable.
  std::function<bool(const std::string&)> writable;
};

// The user's own git configuration.
GitConfig read_user_git_config(const std::string& home);

// `entry` is the path of a `.git`, canonical but for its last component.
GitLayout read_git_layout(const std::string& entry, const GitSurroundings& around,
                          PathResolver& resolver);

// What is protected in a git folder, its submodules' and worktrees' folders included.
void add_protected_git_folder(std::vector<ProtectedPath>& out, const std::string& folder,
                              PathResolver& resolver);

}  // namespace ward::confine
