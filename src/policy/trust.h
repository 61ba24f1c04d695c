// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Trust: which contents of workspace policy files a person has agreed to. One entry pins one
// workspace and the exact bytes of its file and of every file that it extends; any change makes it
// unknown again. A plain value; the store is a text file in the user's state folder which the
// command line reads and replaces.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ward::policy {

class TrustSet {
 public:
  // The store's text: a line `SHA256 WORKSPACE` each, `#` for remarks. Anything else is an error: a
  // damaged store must not look like an empty one to the person who wonders why they are asked.
  static Result<TrustSet> parse(std::string_view text);
  std::string print() const;

  bool contains(const std::string& hash) const { return entries_.contains(hash); }
  // Replaces what was trusted for the same workspace.
  void add(std::string hash, std::string workspace);
  bool remove_workspace(const std::string& workspace);

 private:
  std::set<std::string> entries_;
  std::vector<std::pair<std::string, std::string>> rows_;  // hash, workspace
};

// A file that took part in a policy: its path and its bytes.
using NamedBytes = std::pair<std::string, std::string>;

// The hash that pins a workspace's policy. The workspace is part of it, so that a copy of a trusted
// file in another folder is not trusted; each part carries its length, so that no other split of
// the same bytes gives the same hash.
std::string trust_hash(std::string_view workspace, const std::vector<NamedBytes>& files);

}  // namespace ward::policy
