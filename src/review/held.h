// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldChange: what one run changed, kept beside the host's files until somebody decides. It lies in
// STATE/held/ID, a folder that only the user can enter and no sandbox sees: `held.json` says what
// was run and from where, N holds the changes of the N-th writable row of the plan. An open
// HeldChange holds the folder's lock, so that a run, an apply and a discard never meet. It has an
// owner (the user) and a deadline, after which any command of Ward that looks removes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/path_plan.h"
#include "sys/file.h"

namespace ward::review {

struct Changes;

// One writable row of the plan: a folder, or a single file.
struct HeldRoot {
  std::string path;
  bool directory = true;
  sys::ObjectId object;
};

using Deadline = std::chrono::sys_seconds;
inline constexpr std::chrono::hours kDefaultKeep{24 * 7};

struct HeldInfo {
  std::string id;  // of the run
  std::vector<std::string> command;
  std::string working_directory;
  std::string home;
  std::vector<std::string> workspaces;
  // What the policy was loaded from; it is loaded again when the changes are landed.
  std::string profile;
  std::vector<std::string> policy_files;
  std::uint64_t start_ns = 0;  // the clock before the command
  Deadline deadline;
  std::vector<HeldRoot> roots;
  std::string outcome;   // of the run; "" while it goes on, or where it was killed
  bool landing = false;  // an apply has begun, and has not ended
};

enum class Access : std::uint8_t { shared, exclusive };

class HeldChange {
 public:
  // Makes the folders for every writable row of `plan`, and the copies of single files. Fails where
  // a row cannot be held: a mount stands below it, it is no regular file, the state folder lies in
  // it or cannot be an overlay's upper folder. Nothing is left then.
  static Result<HeldChange> create(const std::string& state_folder, HeldInfo info,
                                   const confine::PathPlan& plan);
  // A unique prefix of an id will do. busy: the run goes on, or somebody is applying.
  static Result<HeldChange> open(const std::string& state_folder, const std::string& id,
                                 Access access);

  const HeldInfo& info() const { return info_; }
  const std::string& folder() const { return folder_; }
  // The N-th root's upper folder, or the copy of its file.
  std::string changed_path(std::size_t root) const;

  // Keeps what the run has become.
  Status note_outcome(const std::string& outcome);
  // The run is over: remembers which names the host has, so that it is seen when it deletes one
  // later, and which it may have deleted meanwhile.
  Status seal(const Changes& changes) const;
  bool sealed() const;
  Status note_landing(bool goes_on);
  // Removes it all.
  Status remove() &&;

 private:
  HeldChange(std::string folder, HeldInfo info, UniqueFd lock);
  Status make_root(std::size_t index);
  Status store() const;

  std::string folder_;
  HeldInfo info_;
  UniqueFd lock_;  // the folder itself
};

struct HeldSummary {
  HeldInfo info;
  bool busy = false;  // the run goes on, or somebody is applying
};
// Sorted by id, so by age. A folder that cannot be read is left out and named in `damaged`.
Result<std::vector<HeldSummary>> list_held(const std::string& state_folder,
                                           std::vector<std::string>& damaged);

// Removes what is past its deadline and not busy; returns what it removed.
Result<std::vector<HeldInfo>> remove_expired(const std::string& state_folder, Deadline now);

}  // namespace ward::review
