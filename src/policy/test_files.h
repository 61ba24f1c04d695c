// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// MapFiles: the test double of Files, a map from paths to texts.
#pragma once

#include <map>
#include <set>

#include "policy/files.h"
#include "policy/load.h"

namespace ward::policy {

class MapFiles : public Files {
 public:
  std::map<std::string, std::string> texts;
  std::set<std::string> not_roots;  // paths that read_managed() refuses

  Result<std::string> read(const std::string& path, std::uint64_t max_bytes) const override {
    const auto found = texts.find(path);
    if (found == texts.end()) return fail(ErrorKind::not_found, "open " + path + ": No such file");
    if (found->second.size() > max_bytes) return fail(ErrorKind::exhausted, path + ": too large");
    return found->second;
  }
  Result<std::string> read_managed(const std::string& path,
                                   std::uint64_t max_bytes) const override {
    if (not_roots.contains(path)) return fail(ErrorKind::denied, path + " is not root's");
    return read(path, max_bytes);
  }
};

inline Place test_place() {
  Place place;
  place.workspaces = {"/home/u/proj"};
  place.home = "/home/u";
  return place;
}

inline LoadRequest test_request() {
  LoadRequest request;
  request.place = test_place();
  request.user_file = "/home/u/.config/ward/ward.yaml";
  return request;
}

}  // namespace ward::policy
