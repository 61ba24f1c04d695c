// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The built-in profiles as data: `locked` (nothing but the system and the workspace can be read),
// `read-only` (everything but key stores can be read) and `workspace` (the workspace and the
// toolchains' caches can be written too). Each row group says why it is there; docs/policy.md lists
// them, a test holds the listing against this table. Constant data, no parsing at start.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace ward::policy {

// From the narrowest to the widest.
enum class Profile : std::uint8_t { locked, read_only, workspace };
inline constexpr std::string_view kProfileNames = "locked read-only workspace";

const Profile* find_profile(std::string_view name);
std::string_view to_string(Profile profile);

// Paths of one list for one reason, in the profiles from `first` to `last`.
struct ProfileRows {
  Profile first, last;
  PathList list;
  bool superuser;  // only where root is the caller; anyone else cannot read these anyway
  std::string_view why;
  std::span<const std::string_view> paths;
};
std::span<const ProfileRows> profile_rows();
DefaultAccess default_access(Profile profile);

// The profile as a document of the language, with its reasons as remarks.
std::string profile_text(Profile profile);

// Where a toolchain keeps what it writes under the home folder. Where the command cannot write
// there (it does not exist, and nothing is created on the host, or the policy does not allow it),
// `variable` is set to a private folder instead, so that a tool that has never run here works too.
struct ToolCache {
  std::string_view variable;
  std::string_view value;           // {} stands for the private folder
  std::string_view path;            // below the home folder
  std::string_view folder;          // the name of the private folder
  std::string_view other_path;      // an older place that the tool prefers, or ""
  std::string_view other_variable;  // it moves the cache as well, or ""
};
std::span<const ToolCache> tool_caches();

}  // namespace ward::policy
