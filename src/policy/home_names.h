// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// HomeNames: which names exist in the home folder, as far as somebody has looked. A built-in
// profile names hundreds of files below the home folder; most machines have a dozen. What lies
// below a name that does not exist says nothing about a home folder that is hidden as a whole, so
// `ward run` leaves such rules out and starts in half the time. A plain value.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace ward::policy {

class HomeNames {
 public:
  // All names of one folder: "" for the home folder itself, ".config", ".local/share".
  void add_folder(std::string folder) { folders_.insert(std::move(folder)); }
  void add_name(std::string path) { names_.insert(std::move(path)); }

  // False only where the path, relative to the home folder, was looked for and is not there.
  bool may_exist(std::string_view path) const;

 private:
  std::unordered_set<std::string> folders_;
  std::unordered_set<std::string> names_;
};

}  // namespace ward::policy
