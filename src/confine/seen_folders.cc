// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/seen_folders.h"

#include <sys/stat.h>

namespace ward::confine {

void SeenFolders::add(std::string_view path, const sys::ChangeStamp& stamp) {
  if (folders_.size() >= kMost) overflown_ = true;
  if (overflown_) return;
  folders_.push_back({paths_.size(), stamp});
  paths_ += path.empty() ? "/" : path;
  paths_ += '\0';
}

bool SeenFolders::is_unchanged(std::size_t index, const struct stat& now) const {
  const sys::ChangeStamp& stamp = folders_[index].stamp;
  return stamp != sys::ChangeStamp{} && sys::change_stamp(now) == stamp;
}

}  // namespace ward::confine
