// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PowerCutDisk: the default file system of SQLite while it lives, and a memory of what has been
// synced. after_power_cut() writes the files as a disk might have them when the power goes: all
// that was synced, and of the rest any part, in any order, down to single sectors. A truncation is
// assumed to be in order with later writes of the same file, as journalling file systems have it.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

struct sqlite3_vfs;  // NOLINT(readability-identifier-naming): SQLite's

namespace ward::journal::test {

class PowerCutDisk {
 public:
  PowerCutDisk();
  ~PowerCutDisk();
  PowerCutDisk(const PowerCutDisk&) = delete;
  PowerCutDisk& operator=(const PowerCutDisk&) = delete;

  // Overwrites, in `folder`, the files that were open since the disk was made.
  void after_power_cut(const std::string& folder, std::mt19937& random) const;

  struct Change {
    std::int64_t offset = 0;  // of a write, or the new size of a truncation
    std::string bytes;
    bool truncates = false;
  };
  struct File {
    std::string synced;            // what the disk surely has
    std::vector<Change> unsynced;  // in the order they were made
  };
  std::map<std::string, File>& files() { return files_; }
  sqlite3_vfs* real() const { return real_; }

 private:
  std::map<std::string, File> files_;  // by path
  sqlite3_vfs* real_;
  sqlite3_vfs* shim_;
};

}  // namespace ward::journal::test
