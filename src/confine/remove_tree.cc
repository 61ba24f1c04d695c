// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <vector>

#include "confine/watch.h"
#include "sys/directory.h"

namespace ward::confine {

namespace {

constexpr int kDeepest = 200;  // each level holds a descriptor

Status remove_at(int folder, const std::string& name, std::uint64_t device, int depth) {
  struct stat status = {};
  if (int error = sys::stat_entry(folder, name.c_str(), status); error != 0)
    return error == ENOENT ? Status() : fail_errno(error, "stat " + name);
  if (!S_ISDIR(status.st_mode)) {
    if (::unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT)
      return fail_errno(errno, "remove " + name);
    return {};
  }
  if (status.st_dev != device) return fail(ErrorKind::busy, name + " is a mount");
  if (depth == 0) return fail(ErrorKind::exhausted, name + " is too deep");
  // Who made it may have taken the permissions away.
  if (::fchmodat(folder, name.c_str(), 0700, 0) != 0) return fail_errno(errno, "chmod " + name);
  WARD_ASSIGN(UniqueFd inner, sys::open_directory(folder, name.c_str()));
  std::array<char, 32768> buffer;
  std::vector<std::string> names;
  for (;;) {
    WARD_ASSIGN(std::span<const char> records, sys::read_directory(inner.get(), buffer));
    if (records.empty()) break;
    sys::DirectoryBatch batch(records);
    for (sys::DirectoryEntry entry; batch.next(entry);) names.emplace_back(entry.name);
  }
  for (const std::string& entry : names) WARD_TRY(remove_at(inner.get(), entry, device, depth - 1));
  if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
    return fail_errno(errno, "remove folder " + name);
  return {};
}

}  // namespace

Status remove_tree(int folder, const std::string& name) {
  WARD_ASSIGN(struct stat status, sys::stat_fd(folder));
  return remove_at(folder, name, status.st_dev, kDeepest);
}

}  // namespace ward::confine
