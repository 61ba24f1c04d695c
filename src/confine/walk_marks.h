// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The paths a walk's request names, roots and folders not to be entered, in an order that lets the
// walk narrow them as it descends: most folders have none below them and pay nothing. Owned by one
// walk. A span of marks stays valid as long as the WalkMarks it came from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "confine/tree_walk.h"

namespace ward::confine {

struct PathMark {
  std::string path;  // without a slash at the end; the root folder is ""
  bool prune = false;
  std::optional<WalkWants> root;
  bool visited = false;
};

class WalkMarks {
 public:
  WalkMarks() = default;
  // `cache_folder` is pruned too, unless it is empty.
  WalkMarks(const WalkRequest& request, const std::string& cache_folder);

  std::span<PathMark> all() { return marks_; }
  std::span<const PathMark> all() const { return marks_; }

  // Those of `marks` strictly below the folder `path`.
  static std::span<PathMark> below(std::span<PathMark> marks, const std::string& path);
  // That of `marks` which is `path` itself, or null.
  static PathMark* at(std::span<PathMark> marks, const std::string& path);

 private:
  std::vector<PathMark> marks_;
};

}  // namespace ward::confine
