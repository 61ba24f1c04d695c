// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/walk_marks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ward::confine {

namespace {

auto first_from(std::span<PathMark> marks, const std::string& path) {
  return std::lower_bound(marks.begin(), marks.end(), path,
                          [](const PathMark& m, const std::string& p) { return m.path < p; });
}

}  // namespace

WalkMarks::WalkMarks(const WalkRequest& request, const std::string& cache_folder) {
  std::unordered_map<std::string, std::size_t> at;
  auto mark = [&](std::string path) -> PathMark& {
    if (path == "/") path.clear();
    auto [found, fresh] = at.emplace(path, marks_.size());
    if (fresh) {
      marks_.emplace_back();
      marks_.back().path = std::move(path);
    }
    return marks_[found->second];
  };
  for (const WalkRoot& root : request.roots) {
    PathMark& found = mark(root.path);
    WalkWants wants = found.root.value_or(WalkWants{});
    found.root = WalkWants{wants.git || root.wants.git, wants.sockets || root.wants.sockets,
                           wants.folders || root.wants.folders};
  }
  for (const std::string& path : request.prune) mark(path).prune = true;
  if (!cache_folder.empty()) mark(cache_folder).prune = true;
  std::sort(marks_.begin(), marks_.end(),
            [](const PathMark& a, const PathMark& b) { return a.path < b.path; });
}

std::span<PathMark> WalkMarks::below(std::span<PathMark> marks, const std::string& path) {
  if (marks.empty()) return marks;
  const std::string prefix = path + '/';
  auto first = first_from(marks, prefix);
  auto last = first;
  while (last != marks.end() && last->path.starts_with(prefix)) ++last;
  return {first, last};
}

PathMark* WalkMarks::at(std::span<PathMark> marks, const std::string& path) {
  auto found = first_from(marks, path);
  return found != marks.end() && found->path == path ? &*found : nullptr;
}

}  // namespace ward::confine
