// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/home_names.h"

namespace ward::policy {

bool HomeNames::may_exist(std::string_view path) const {
  std::string folder, name;
  for (std::size_t start = 0; start < path.size();) {
    if (!folders_.contains(folder)) return true;
    std::size_t end = path.find('/', start);
    if (end == std::string_view::npos) end = path.size();
    name = path.substr(0, end);
    if (!names_.contains(name)) return false;
    folder = std::move(name);
    start = end + 1;
  }
  return true;
}

}  // namespace ward::policy
