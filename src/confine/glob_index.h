// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The index of a walk: for each folder its change stamp, its sub-folders and the few names a walk
// reports, so that the next walk only stats folders and re-reads those that changed. It lives in
// the user's cache folder (index_folder()), which the sandbox can neither read nor write; each file
// is authenticated by a key beside it and bound to exactly one walk request, and is read into
// private memory before it is checked. On any doubt there is no index and the walk reads
// everything. One thread at a time a WalkCache; several processes may share the folder.
//
// What an index may be believed about, and why, is in docs/decisions/walk-index.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sys/directory.h"
#include "sys/file.h"

namespace ward::confine {

// $XDG_CACHE_HOME/ward, or ~/.cache/ward. Must be hidden from every sandbox and is never walked.
std::string index_folder(const std::string& home, const std::string& xdg_cache_home);

inline constexpr std::size_t kMaxIndexBytes = 512U << 20U;
inline constexpr std::size_t kMaxIndexFiles = 64;

// Only names the folder: nothing is touched before it is used.
class WalkCache {
 public:
  explicit WalkCache(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }

  // Makes the folder (0700) and the key (0600) where they are missing. To be called before a policy
  // is planned: a sandbox that could create the folder itself could leave a forged index with a key
  // of its own. Refuses (denied) a folder or key of somebody else or open to others.
  Status prepare() const;
  // The authenticated body stored for this request. not_found where there is none yet, denied for
  // a forged, cut or foreign one.
  Result<std::string> load(std::string_view request) const;
  // Replaces it, atomically; not synced, since a torn file fails authentication.
  Status store(std::string_view request, std::string_view body) const;

 private:
  std::string folder_;
};

// One folder as stored. `stamp.object.device` is the number of the device in this run.
struct IndexedFolder {
  sys::ChangeStamp stamp;
  bool trusted = false;  // false: to be read again whatever its stamp says
  std::uint32_t names = 0;
  std::uint32_t folders = 0;
  std::uint32_t below_bytes = 0;  // size of everything stored below, a measure for its extent
};

// Reads an authenticated body front to back. It trusts no length all the same: authentication says
// who wrote the bytes, not that the writer had no bug.
class IndexReader {
 public:
  // Fails (invalid) on a body that is none or whose time of writing lies in the future of `now_ns`.
  static Result<IndexReader> open(std::string_view body, std::uint64_t now_ns);

  struct Device {
    std::uint64_t device = 0;
    std::uint64_t file_system = 0;
  };
  const std::vector<Device>& devices() const { return devices_; }

  // A position in the body, at a folder's record.
  struct Place {
    std::size_t at = 0;
    std::size_t end = 0;  // past everything stored below the folder
  };
  // The record of a walk's root, or nothing.
  std::optional<Place> root(std::string_view path) const;

  // The folder at `place`; moves `place.at` to its names. Nothing: the body makes no sense.
  std::optional<IndexedFolder> folder(Place& place) const;
  struct Name {
    std::string_view name;
    std::uint8_t type = 0;
  };
  // The next of the folder's names; to be called exactly IndexedFolder::names times.
  std::optional<Name> name(Place& place) const;
  struct Child {
    std::string_view name;
    Place place;
  };
  // The next of the sub-folders; moves `place` past everything below it.
  std::optional<Child> child(Place& place) const;

 private:
  std::string_view body_;
  std::size_t first_root_ = 0;
  std::vector<Device> devices_;
};

// Builds a body in the order of a walk: a folder, its names, then each sub-folder as a whole.
class IndexWriter {
 public:
  // A place in the body where a folder's record begins.
  using Mark = std::size_t;

  void begin_root(std::string_view path);
  Mark begin_folder(const IndexedFolder& folder);
  void add_name(std::string_view name, std::uint8_t type);
  // Before the begin_folder of a sub-folder; may be taken back until then.
  Mark begin_child(std::string_view name);
  void take_back(Mark mark) { records_.resize(mark); }
  // Fixes the counts of the folder and the size of what lies below.
  void end_folder(Mark mark, std::uint32_t names, std::uint32_t folders);

  // Marks the folder as one to be read again.
  void distrust(Mark mark);

  // Registers a device (once) with the identity of its file system.
  void add_device(std::uint64_t device, std::uint64_t file_system);

  std::size_t size() const { return records_.size(); }
  // The body: header, devices, records.
  std::string finish(std::uint64_t now_ns) const;

 private:
  std::uint16_t device_slot(std::uint64_t device);
  std::string records_;
  std::vector<IndexReader::Device> devices_;
};

}  // namespace ward::confine
