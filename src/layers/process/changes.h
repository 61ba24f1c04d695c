// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What a run did to the files of its workspaces (`ward run --changes`): a snapshot of names and
// stamps before and after, and the difference. It tells by stamps, not by content; ctime is one of
// them, which no program can set. Reads folders only, follows no symbolic link; values once made,
// one thread. Bounded: over kMaxSnapshotEntries there is an error and no list in part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ward::process {

inline constexpr std::size_t kMaxSnapshotEntries = 2'000'000;
inline constexpr std::size_t kMaxSnapshotDepth = 256;
inline constexpr std::size_t kMaxListedChanges = 10'000;

class Snapshot {
 public:
  // Of everything below the folders (canonical; nested ones are folded) but for those in `skip`.
  // What cannot be read is left out on both sides and listed in unreadable().
  static Result<Snapshot> take(std::vector<std::string> folders,
                               const std::vector<std::string>& skip = {});

  std::size_t size() const { return entries_.size(); }
  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  friend struct Changes;
  friend struct Changes compare(const Snapshot& before, const Snapshot& after);
  friend class SnapshotReader;
  struct Entry {
    std::size_t path_at = 0;
    std::uint32_t path_size = 0;
    std::uint32_t mode = 0;
    std::uint64_t device = 0, inode = 0, size = 0, mtime_ns = 0, ctime_ns = 0;
  };
  std::string_view path(const Entry& entry) const {
    return std::string_view(paths_).substr(entry.path_at, entry.path_size);
  }

  std::string paths_;
  std::vector<Entry> entries_;  // in the order of their paths, a folder before what is in it
  std::vector<std::string> unreadable_;
  std::uint64_t taken_ns_ = 0;
};

struct Changes {
  // Paths, a folder with a slash at the end. A folder counts as changed by its mode or identity
  // only. A path that names another kind of object than before is changed.
  std::vector<std::string> created, changed, deleted;
  // `.git` folders that something changed in; what, is git's business and not listed.
  std::vector<std::string> git_folders;
  // Written so shortly before the first snapshot that a later write of the same size, within the
  // same tick of the file system's clock, could not be told.
  std::vector<std::string> uncertain;
  std::size_t omitted = 0;  // beyond kMaxListedChanges in all
};
Changes compare(const Snapshot& before, const Snapshot& after);

}  // namespace ward::process
