// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Changes: what landing a held run would do now, told from the upper folders of its overlays and
// the host's present files. What has been landed already is no change any more, so that a landing
// that was cut off is taken up by doing it again. Reads only; one thread. Everything in an upper
// folder was written by the sandboxed program. Source: Documentation/filesystems/overlayfs.rst
// (whiteouts are character devices 0/0, an opaque folder has user.overlay.opaque=y).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "review/held.h"
#include "sys/directory.h"

namespace ward::review {

enum class FileType : std::uint8_t { none, file, folder, link, other };

struct Change {
  enum class Kind : std::uint8_t { created, changed, mode, deleted };
  Kind kind = Kind::changed;
  std::size_t root = 0;  // of HeldInfo::roots
  std::string path;      // below the root; "" for the root itself
  // What stands there on the host, and what is to stand there.
  FileType before = FileType::none, after = FileType::none;
  mode_t mode_before = 0, mode_after = 0;  // permission bits, without set-id bits
  std::uint64_t size_before = 0, size_after = 0;
  std::string target_before, target_after;  // of links
  sys::ChangeStamp stamp_before;            // of the host's object, for a last look before landing
  // A created file that has the content of a deleted one, and the other way round: its full path.
  std::string renamed_from, renamed_to;
  // Why it cannot be landed at all: "" where it can.
  std::string problem;
  // What the host did to it since the run began: "" for nothing.
  std::string conflict;
  // What the host may have done to it, without a trace that would tell: "" for nothing.
  std::string doubt;
};
std::string_view to_string(Change::Kind kind);
std::string_view to_string(FileType type);

inline constexpr std::size_t kMaxChanges = 1'000'000;
inline constexpr int kMaxDepth = 250;
inline constexpr std::size_t kMaxPath = 3900;

struct Changes {
  std::vector<Change> list;  // by root; a folder before what it holds, names sorted
  // What HeldChange::seal() remembers, as "ROOT/PATH": names that both sides have, and names that
  // only the held side has, in a folder that the host has changed since the run began.
  std::vector<std::string> common, doubtful;
};

// Fails where a root is not what it was, or where there are more than kMaxChanges.
Result<Changes> list_changes(const HeldChange& held);

// A landing writes a file under this name before it renames it to its place; left behind by a
// killed one, it is no change. A program cannot know the id of its run.
std::string unfinished_name(const HeldInfo& info);

// The full path of a change.
std::string full_path(const HeldInfo& info, const Change& change);

// The two sides of a root, as folders to start from (O_PATH); of a single file, the folder it is
// in. A path below one is opened by open_beneath().
struct Sides {
  UniqueFd host, held;
  std::string host_name, held_name;  // of a single file, in those folders; else ""
};
Result<Sides> open_sides(const HeldChange& held, std::size_t root);
// Opens without following a link or leaving the folder or its file system.
Result<UniqueFd> open_beneath(int folder, const std::string& path, int flags);

}  // namespace ward::review
