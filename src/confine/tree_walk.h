// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// One walk over the trees a policy speaks of, for everything that must be found in them: what the
// wildcard rules match, `.git` entries (nested repositories), host sockets, other names of a file.
// It reads folders with getdents64(2) relative to descriptors, never follows a symbolic link,
// crosses mounts but not into the kernel's own file systems (/proc and its like), and with a
// WalkCache re-reads only folders that changed. Blocking, one thread; holds no state between calls.
//
// A walk sees the tree as it was at some moment of its run. What appears later is the late watch's
// business (watch.h), which therefore starts before the walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "confine/seen_folders.h"
#include "policy/glob.h"
#include "sys/directory.h"
#include "sys/file.h"

namespace ward::confine {

class WalkCache;

// Over one of these the walk refuses (exhausted, naming the place): a partial answer would leave
// files readable that the policy hides.
inline constexpr std::size_t kMaxWalkEntries = 20'000'000;
inline constexpr std::size_t kMaxWalkDepth = 256;
inline constexpr std::size_t kMaxWalkMatches = 1'000'000;

// What to report besides glob matches, in a root and everything below it.
struct WalkWants {
  bool git = false;      // entries named `.git`
  bool sockets = false;  // unix sockets
  bool folders = false;  // the folders themselves
  auto operator<=>(const WalkWants&) const = default;
};

struct WalkRoot {
  std::string path;  // canonical
  WalkWants wants;
  auto operator<=>(const WalkRoot&) const = default;
};

// What a match of a pattern means for the walk.
enum class AtMatch : std::uint8_t {
  descend,  // goes on below a matched folder
  stop,     // does not: the folder is hidden as a whole
};

struct WalkRequest {
  std::vector<WalkRoot> roots;  // duplicates and nested roots are folded into one pass
  const policy::GlobSet* globs = nullptr;
  std::vector<AtMatch> at_match;  // one a glob; shorter means `stop` for the rest
  // Canonical paths that are not entered (hidden folders, Ward's own). A root below one of them is
  // walked all the same. The cache's folder is always one.
  std::vector<std::string> prune;
  // Report other names of these objects (hard links). Needs every entry's inode number, so the
  // walk does not use the cache.
  std::vector<sys::ObjectId> aliases_of;
  std::size_t max_entries = kMaxWalkEntries;
  std::uint64_t (*clock_ns)() = sys::file_clock_ns;  // tests put their own here
};

struct GlobMatch {
  std::string path;
  std::uint32_t glob = 0;  // index in the set; one GlobMatch a (path, glob)
  bool directory = false;
  bool symlink = false;
  sys::ObjectId object;  // of the entry itself, not of a symbolic link's target
  std::uint64_t links = 1;
  auto operator<=>(const GlobMatch&) const = default;
};

struct GitEntry {
  std::string path;
  enum class Type : std::uint8_t { directory, file, symlink, other };
  Type type = Type::directory;
  auto operator<=>(const GitEntry&) const = default;
};

struct Alias {
  std::string path;
  sys::ObjectId object;
  auto operator<=>(const Alias&) const = default;
};

// A folder the walk could not look into. Where `owned`, a sandboxed program could make it readable
// again (chmod); where `searchable`, open a file in it by a known name; where `broken`, its medium
// failed for now: then it has to be hidden as a whole, or what the globs name in it stays readable.
struct Unreadable {
  std::string path;
  bool owned = false;
  bool searchable = false;
  bool broken = false;
  auto operator<=>(const Unreadable&) const = default;
};

struct WalkStats {
  std::size_t folders = 0;       // visited
  std::size_t folders_read = 0;  // of these, read with getdents64
  std::size_t entries = 0;       // directory entries read
  bool cache_used = false;       // a valid index was found
  bool cache_written = false;
  std::string cache_note;  // why the index was not used or not written, if so
};

// Every list but `folders` is sorted by path.
struct WalkResult {
  std::vector<GlobMatch> matches;
  std::vector<GitEntry> git;
  std::vector<std::string> sockets;
  SeenFolders folders;  // in the order of the walk
  std::vector<Alias> aliases;
  std::vector<Unreadable> unreadable;
  std::vector<std::string> kernel_trees;  // mounts of kernel file systems that were not entered
  std::vector<std::string> missing_roots;
  WalkStats stats;
};

// A folder that vanishes meanwhile is no error, a missing root neither (missing_roots).
Result<WalkResult> walk_tree(const WalkRequest& request, const WalkCache* cache = nullptr);

}  // namespace ward::confine
