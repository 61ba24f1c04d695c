// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What stays read-only although the folder it is in is writable: what a shell, git, an editor or an
// agent would execute later, outside the sandbox. Tables of names with the reason of each, and
// where they apply. Pure data but for the look at what a folder is; no policy lifts them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "confine/path_resolver.h"

namespace ward::confine {

struct ProtectedName {
  std::string_view name;
  std::string_view reason;
};

// In a workspace and in the top folder of each repository in it. Sorted by name.
std::span<const ProtectedName> protected_project_names();
// In a home folder that a policy makes writable, besides.
std::span<const ProtectedName> protected_home_names();
// In a git folder: of a repository, a linked worktree or a submodule.
std::span<const ProtectedName> protected_git_names();
// What a program needs to start where the policy's default is deny: programs, libraries, and the
// files that the C library reads for names, time, and certificates. Readable, nothing more.
std::span<const std::string_view> base_readable();

struct ProtectedPath {
  std::string path;  // canonical but for its last component, which may be a link, or absent
  std::string_view reason;
};

// The protected names of the folder, each as a path.
void add_protected_project(std::vector<ProtectedPath>& out, const std::string& folder,
                           PathResolver& resolver);
void add_protected_home(std::vector<ProtectedPath>& out, const std::string& home);
// `folder` has what git takes for a git folder.
bool is_git_folder(const std::string& folder, PathResolver& resolver);

}  // namespace ward::confine
