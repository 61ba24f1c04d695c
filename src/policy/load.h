// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Loading: from the managed, user and workspace documents to one Policy. Lists add up, each value
// that a scope restricts stays restricted, and a workspace document that nobody has trusted only
// narrows (docs/policy.md, "Scopes"). Pure apart from Files; a function of its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/files.h"
#include "policy/home_names.h"
#include "policy/policy.h"
#include "policy/trust.h"

namespace ward::policy {

inline constexpr std::uint64_t kMaxDocumentBytes = 4U << 20U;
inline constexpr int kMaxExtends = 8;

// What the tokens stand for in this run. All absolute, canonical and without a trailing slash.
struct Place {
  std::vector<std::string> workspaces;  // `.`: at least one
  std::string home;                     // `~`
  std::string temp = "/tmp";  // `@tmp`: the caller's own temporary folder, not the private one
  std::vector<std::string> command_folders;  // of the caller's PATH, for lint
  // `@programs`: the folders below the home folder that hold what PATH and the variables of
  // toolchains name.
  std::vector<std::string> program_folders;
  // What exists below `home`; where unset, nobody has looked.
  std::optional<HomeNames> home_names;
  bool superuser = false;  // root is the caller: then the system's own keys are denied too
};

struct LoadRequest {
  Place place;
  std::string managed_file = "/etc/ward/managed.yaml";
  std::string user_file;  // "" for none; absent ones count as empty
  // Files named by the person on the command line: user scope, must exist.
  std::vector<std::string> named_files;
  // The profile named on the command line ("locked", ...), or "". Joins as a user document would.
  std::string profile;
  TrustSet trusted;
};

// A part of an untrusted workspace document that was not applied, or of any document that could not
// have an effect.
struct LeftOut {
  Origin origin;
  std::string key;  // "filesystem.allowWrite"
  std::string why;
  std::string describe() const;  // "ward.yaml:3: filesystem.allowWrite: why"
};

// One workspace document that was found.
struct WorkspaceDocument {
  std::string workspace;
  std::string file;
  std::string hash;  // what `ward policy trust` pins
  bool trusted = false;
  bool widens = false;               // it says something that needs trust
  std::vector<NamedBytes> contents;  // itself and what it extends, as hashed
};

struct Loaded {
  Policy policy;
  std::vector<LeftOut> left_out;
  std::vector<WorkspaceDocument> workspace_documents;
  std::vector<std::string> documents;  // every file that was read, with what it extends
};

Result<Loaded> load_policy(const LoadRequest& request, const Files& files);

// The policy of one document alone (with what it extends), as user scope: for tests, `check FILE`
// and `import`.
Result<Policy> load_text(const std::string& name, const std::string& text, const Place& place);

}  // namespace ward::policy
