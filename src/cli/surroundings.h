// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Surroundings: who calls ward, from where, and where Ward keeps its own files, found once at start
// from the environment and the machine. A plain value. Source: XDG Base Directory Specification.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/load.h"

namespace ward::cli {

struct Surroundings {
  std::string home;           // canonical
  std::string cwd;            // canonical
  std::string state_folder;   // journal, trust store, held changes
  std::string cache_folder;   // the index of trees
  std::string config_folder;  // the user's policy
  std::string program;        // this program's own file
  std::string gateway;        // the egress gateway's; empty where it is not installed

  std::string user_policy() const { return config_folder + "/ward.yaml"; }
  // A path as it was given on the command line, from the root.
  std::string from_cwd(const std::string& path) const {
    return path.starts_with('/') ? path : cwd + "/" + path;
  }
  std::string trust_store() const { return state_folder + "/trusted"; }
  // What no sandbox may read, write or connect to.
  std::vector<std::string> ward_paths() const;
};

Result<Surroundings> find_surroundings();

// The names below the home folder that a built-in profile may speak of.
policy::HomeNames look_at_home(const std::string& home);

// The place of a run: these workspaces (as given on the command line; none: the current folder).
Result<policy::Place> place_of(const Surroundings& surroundings,
                               const std::vector<std::string>& workspaces);

// What the policy is loaded from, the trust store included.
struct PolicyArguments {
  std::vector<std::string> files;  // --policy
  std::string profile;             // --profile
};
Result<policy::Loaded> load_policy(const Surroundings& surroundings, const policy::Place& place,
                                   const PolicyArguments& arguments);

}  // namespace ward::cli
