// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Learned: from what a command was seen to touch to the narrowest document that lets it do so
// again. It never names a secret, the home folder or the root: what would need one becomes a
// remark. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/load.h"

namespace ward::policy {

// Canonical paths throughout; the counts say how many names were touched.
struct Observed {
  std::string profile;                         // what the document extends
  std::map<std::string, std::size_t> written;  // existing folders in which something changed
  // Names made or changed in a folder that is too wide to be listed, and whether each exists.
  std::map<std::string, bool> written_alone;
  std::map<std::string, std::size_t> read;  // what the profile alone denies, and no rule by name
  std::vector<std::string> sockets;         // of the host
  std::vector<std::string> hosts;           // "address:port" that was asked for
  std::vector<std::string> denied;          // "act path: rule", which stay denied
  std::string outcome;
};

// A document of version 1 that parses.
std::string learned_policy(const Observed& observed, const Place& place);

// Whether a folder may be made writable as a whole by a suggestion.
bool narrow_enough(const std::string& folder, const Place& place);

}  // namespace ward::policy
