// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PathResolver follows a path one component at a time and says what is there: the canonical path,
// every symbolic link gone through, and, where the way ends early, the place and the reason. What
// it has seen once it remembers, so that a hundred rules below one home folder cost a hundred
// stats. Reads only; one thread; a snapshot of the moment of its calls. Source: path_resolution(7).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/unique_fd.h"
#include "sys/file.h"

namespace ward::confine {

// "/" + "a" is "/a".
std::string join_path(std::string_view folder, std::string_view name);
// The folder of an absolute path; "/" for "/".
std::string_view parent_of(std::string_view path);
std::string_view name_of(std::string_view path);
// `path` is `folder` or below it.
bool lies_in(std::string_view path, std::string_view folder);

// What one name is, without following it.
struct PathNode {
  enum class Kind : std::uint8_t {
    absent,
    directory,
    file,  // anything that is neither a folder nor a link
    symlink,
    blocked,  // the folder that holds it may not be searched
  };
  Kind kind = Kind::absent;
  sys::ObjectId object;
  std::uint64_t links = 0;
  std::string target;  // of a symbolic link
};

struct Resolution {
  enum class End : std::uint8_t {
    found,
    absent,   // `last` is the existing folder in which `missing` is not there
    through,  // `last` is a file where the path wants a folder
    blocked,  // `last` is a folder that may not be searched
    looping,  // more than kMaxLinks symbolic links
  };
  End end = End::absent;
  std::string path;  // canonical; of a path that ends early, as far as it is known
  PathNode node;     // where found; never a symbolic link
  std::string last;
  sys::ObjectId last_object;
  std::string missing;
  std::vector<std::string> links;  // canonical paths of the links gone through
};

class PathResolver {
 public:
  static constexpr int kMaxLinks = 40;  // as the kernel

  // Preconditions: `path` is absolute.
  Resolution resolve(const std::string& path);
  // Preconditions: `path` is canonical but for its last component.
  const PathNode& look(const std::string& path);

 private:
  bool resolve_in_seen(const std::string& path, Resolution& out);

  std::unordered_map<std::string, PathNode> seen_;
  std::string folder_path_;  // the folder whose entries were asked for last
  UniqueFd folder_;
};

}  // namespace ward::confine
