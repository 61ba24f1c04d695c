// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "confine/watch.h"
#include "sys/directory.h"

namespace ward::confine {

namespace {

constexpr int kDeepest = 100;  // each level holds a descriptor

class TreeRemover {
 public:
  TreeRemover(int top, std::uint64_t device) : top_(top), device_(device) {}

  // A folder below the deepest level is moved up beside the tree and removed in its turn: whoever
  // made the tree may have made it as deep as the file system allows.
  Status remove(const std::string& name) {
    WARD_TRY(remove_at(top_, name, kDeepest));
    while (!moved_.empty()) {
      std::string next = std::move(moved_.back());
      moved_.pop_back();
      WARD_TRY(remove_at(top_, next, kDeepest));
    }
    return {};
  }

 private:
  Status remove_at(int folder, const std::string& name, int depth) {
    struct stat status = {};
    if (int error = sys::stat_entry(folder, name.c_str(), status); error != 0)
      return error == ENOENT ? Status() : fail_errno(error, "stat " + name);
    if (!S_ISDIR(status.st_mode)) {
      if (::unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT)
        return fail_errno(errno, "remove " + name);
      return {};
    }
    if (status.st_dev != device_) return fail(ErrorKind::busy, name + " is a mount");
    // Who made it may have taken the permissions away.
    if (::fchmodat(folder, name.c_str(), 0700, 0) != 0) return fail_errno(errno, "chmod " + name);
    if (depth == 0) return move_up(folder, name);
    WARD_ASSIGN(UniqueFd inner, sys::open_directory(folder, name.c_str()));
    std::array<char, 32768> buffer;
    std::vector<std::string> names;
    for (;;) {
      WARD_ASSIGN(std::span<const char> records, sys::read_directory(inner.get(), buffer));
      if (records.empty()) break;
      sys::DirectoryBatch batch(records);
      for (sys::DirectoryEntry entry; batch.next(entry);) names.emplace_back(entry.name);
    }
    for (const std::string& entry : names) WARD_TRY(remove_at(inner.get(), entry, depth - 1));
    if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
      return fail_errno(errno, "remove folder " + name);
    return {};
  }

  Status move_up(int folder, const std::string& name) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      std::string place = ".ward-deep-" + std::to_string(moves_++);
      if (::syscall(SYS_renameat2, folder, name.c_str(), top_, place.c_str(), kNoReplace) == 0) {
        moved_.push_back(std::move(place));
        return {};
      }
      if (errno != EEXIST) return fail_errno(errno, "move " + name + " up to remove it");
    }
    return fail(ErrorKind::exhausted, name + " is too deep");
  }

  static constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
  int top_;
  std::uint64_t device_;
  int moves_ = 0;
  std::vector<std::string> moved_;
};

}  // namespace

Status remove_tree(int folder, const std::string& name) {
  WARD_ASSIGN(struct stat status, sys::stat_fd(folder));
  return TreeRemover(folder, status.st_dev).remove(name);
}

}  // namespace ward::confine
