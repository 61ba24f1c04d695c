// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// SeenFolders: the folders that a walk went through, each with its change stamp as it was before
// its names were read. What has this stamp still holds the names that the walk saw, so that the
// watch need not read it again. A plain value, immutable once made, safe to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sys/directory.h"

namespace ward::confine {

class SeenFolders {
 public:
  // Over so many the list is given up: it is empty.
  static constexpr std::size_t kMost = 65536;

  // An empty stamp, where none can be believed (the folder changed a moment before), never counts
  // as unchanged.
  void add(std::string_view path, const sys::ChangeStamp& stamp);

  std::size_t size() const { return overflown_ ? 0 : folders_.size(); }
  const char* path(std::size_t index) const { return paths_.data() + folders_[index].path_at; }
  // The indexes of at most `count` folders: of all, or of those with the shortest ways.
  std::vector<std::size_t> nearest(std::size_t count) const;
  bool is_unchanged(std::size_t index, const struct stat& now) const;

 private:
  struct Folder {
    std::size_t path_at = 0;
    sys::ChangeStamp stamp;
  };
  std::string paths_;  // each with its NUL
  std::vector<Folder> folders_;
  bool overflown_ = false;
};

}  // namespace ward::confine
