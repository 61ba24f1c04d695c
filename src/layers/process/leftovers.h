// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What a run left in its workspaces that git, a shell, an editor or an agent would execute later,
// outside the sandbox. The plan protects the workspace and the repositories that were in it at the
// start; new sub-folders are free, so that `git init` and `git clone` work, and are looked through
// here when the run has ended. Reads only; one thread; to be called after the sandbox is gone.
//
// New is what the change time of the object says, which no program can set: at or after the start
// of the run. In a git folder that was not known at the start, everything counts as new, since a
// rename brings old files to a new place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ward::process {

struct Leftover {
  std::string path;
  std::string what;  // "hook post-checkout", "filter.x.clean (git runs it on ...)", ...
  auto operator<=>(const Leftover&) const = default;
};

// A name that somebody's program executes or obeys when it finds it in a folder.
struct ExecutedName {
  std::string_view name;
  std::string_view reason;
};
// Sorted by name.
std::span<const ExecutedName> executed_names();

// The last components of what find_leftovers() finds: a run in which no call was made to create one
// of `any`, none of `created` came into being, and no folder was moved, can have left nothing new.
struct NamesOfInterest {
  std::vector<std::string_view> any, created;
};
NamesOfInterest names_of_interest();

struct LeftoverRequest {
  std::vector<std::string> workspaces;    // canonical
  std::vector<std::string> repositories;  // folders that held a `.git` at the start
  std::vector<std::string> prune;         // not looked into: what is hidden from the sandbox
  std::uint64_t since_ns = 0;             // sys::file_clock_ns() before the command was started
};

inline constexpr std::size_t kMaxLeftovers = 1000;

struct Leftovers {
  std::vector<Leftover> found;          // sorted
  std::size_t omitted = 0;              // beyond kMaxLeftovers
  std::vector<std::string> unreadable;  // what could not be looked into
};

Result<Leftovers> find_leftovers(const LeftoverRequest& request);

}  // namespace ward::process
