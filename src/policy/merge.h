// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Merging: several documents, strongest scope first, into one Policy over a built-in profile. Lists
// add up, the strictest of ordered values and the lowest limit count, a document that may only
// narrow loses its widening keys. Used by load.cc; pure.
#pragma once

#include <string>
#include <vector>

#include "policy/document.h"
#include "policy/load.h"
#include "policy/profiles.h"

namespace ward::policy {

struct MergeInput {
  const Document* document = nullptr;
  const std::vector<std::string>* workspaces = nullptr;  // what its relative paths are relative to
  bool narrow_only = false;
};

struct MergeBase {
  Profile profile = Profile::workspace;
  Scope scope = Scope::workspace;  // of the profile's rules
};

// What was left out is appended to `left_out`.
Policy merge(const MergeBase& base, const std::vector<MergeInput>& inputs, const Place& place,
             std::vector<LeftOut>& left_out);

// Whether the document says something that an untrusted workspace may not.
bool widens(const Document& document, Profile profile);

}  // namespace ward::policy
