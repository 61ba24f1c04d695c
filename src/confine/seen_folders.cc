// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/seen_folders.h"

#include <sys/stat.h>

#include <algorithm>
#include <numeric>

namespace ward::confine {

void SeenFolders::add(std::string_view path, const sys::ChangeStamp& stamp) {
  if (folders_.size() >= kMost) overflown_ = true;
  if (overflown_) return;
  folders_.push_back({paths_.size(), stamp});
  paths_ += path.empty() ? "/" : path;
  paths_ += '\0';
}

std::vector<std::size_t> SeenFolders::nearest(std::size_t count) const {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= count) return order;
  std::vector<std::ptrdiff_t> depth;
  depth.reserve(order.size());
  for (std::size_t index : order) {
    const std::string_view way = path(index);
    depth.push_back(std::count(way.begin(), way.end(), '/'));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return depth[a] < depth[b]; });
  order.resize(count);
  return order;
}

bool SeenFolders::is_unchanged(std::size_t index, const struct stat& now) const {
  const sys::ChangeStamp& stamp = folders_[index].stamp;
  return stamp != sys::ChangeStamp{} && sys::change_stamp(now) == stamp;
}

}  // namespace ward::confine
