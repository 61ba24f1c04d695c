// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// CallerView resolves paths as a thread inside the sandbox would: against its root, its working
// directory and its descriptors, with its /proc/self, through its mounts. The result is held as
// O_PATH descriptors, so that whatever is done next is done to what was looked at and not to a path
// that has changed meanwhile. Lives for one notification, in the notifier's thread.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sys/file.h"
#include "sys/remote_process.h"

namespace ward::confine {

enum class LastLink : std::uint8_t { keep, follow };

// Where a path leads. Either a name in a folder, which may or may not exist, or (`folder` not
// valid) an object without a name, reached by a link such as /proc/self/fd/1.
struct Place {
  UniqueFd folder;   // O_PATH
  std::string name;  // one component, "." for a root; without trailing slashes
  bool trailing_slash = false;
  UniqueFd object;  // O_PATH, a link itself where it was not to be followed; not valid if absent
  struct stat status = {};  // of `object`

  bool exists() const { return object.valid(); }
  // The name as the call gave it, for calls to which a trailing slash means something.
  std::string name_as_given() const { return trailing_slash ? name + "/" : name; }
};

class CallerView {
 public:
  explicit CallerView(pid_t tid) : tid_(tid) {}

  // The path, read from the caller's memory.
  Result<std::string> path_at(std::uint64_t address) const;

  // Fails with the errno that the call itself would give: ENOENT for a missing folder on the way,
  // ENOTDIR, ELOOP, EACCES, EBADF, ENAMETOOLONG.
  Result<Place> resolve(int dirfd, const std::string& path, LastLink last);

  // Is the last component of the path a symbolic link? Cheaper than resolve().
  Result<bool> ends_in_link(int dirfd, const std::string& path);

  // Where the caller's descriptor leads, as inner_path().
  Result<std::string> path_of_descriptor(int fd) const;

  Result<sys::RemoteStatus> status();

  // The folder against which `path` is resolved: root, cwd or the descriptor's.
  Result<int> start_of(int dirfd, const std::string& path);

 private:
  Result<UniqueFd> fast_folder(int start, const std::string& folder, bool absolute);
  // Where a walk stands: what is left of the way, the next component last.
  struct Way {
    UniqueFd folder;
    std::vector<std::string> todo;
    int links = 0;
    bool trailing_slash = false;
  };
  Result<std::optional<Place>> follow(Way& way, const Place& link);
  Result<Place> walk(int start, const std::string& path, LastLink last);
  Result<int> root();

  pid_t tid_;
  UniqueFd root_, cwd_, start_;
  std::optional<sys::RemoteStatus> status_;
};

// The path of an O_PATH descriptor as the sandbox sees it, "" where it has none any more.
std::string inner_path(int fd);
// The path of a place: folder and name.
std::string inner_path(const Place& place);

// The last component of a path, without trailing slashes: "" for "/" and "".
std::string_view last_component(std::string_view path);

}  // namespace ward::confine
