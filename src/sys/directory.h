// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Folders at the speed of the kernel: raw getdents64(2) batches and the few stat fields that tell
// whether a folder changed. No allocation on success; safe from any thread. Sources: getdents64(2),
// statfs(2), inode(7) (what changes mtime and ctime).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sys/file.h"

namespace ward::sys {

// Opens a folder for reading. A symbolic link anywhere in the path is not followed (ELOOP).
Result<UniqueFd> open_directory(int dirfd, const char* path);
// A descriptor that only serves as the start of relative paths (O_PATH).
Result<UniqueFd> open_directory_handle(int dirfd, const char* path);

// Identity and last change of an object, in nanoseconds since 1970 (modulo 2^64). Any change to the
// names in a folder sets both times; utimensat(2) can set mtime back but not ctime.
struct ChangeStamp {
  ObjectId object;
  std::uint64_t mtime_ns = 0;
  std::uint64_t ctime_ns = 0;
  auto operator<=>(const ChangeStamp&) const = default;
};
ChangeStamp change_stamp(const struct stat& status);

// stat without following a last symbolic link and without an error's allocation: returns 0 or the
// errno. An empty path is the folder `dirfd` itself. ENOENT, ENOTDIR and EACCES are to be expected.
int stat_entry(int dirfd, const char* path, struct stat& status);
// Whether this process may reach names in the folder (faccessat2(2), Linux 5.8).
bool may_search(int dirfd, const char* path);

// One name in a folder.
struct DirectoryEntry {
  std::string_view name;  // valid until the next batch
  std::uint64_t inode = 0;
  std::uint8_t type = 0;  // DT_DIR and its like; DT_UNKNOWN where the file system does not say
};

// Iterates over a batch of getdents64 records, `.` and `..` left out.
class DirectoryBatch {
 public:
  explicit DirectoryBatch(std::span<const char> records) : records_(records) {}
  // False at the end of the batch.
  bool next(DirectoryEntry& entry);

 private:
  std::span<const char> records_;
};

// The next batch of entries in `buffer` (at least 32 KiB is sensible); empty at the end.
Result<std::span<const char>> read_directory(int fd, std::span<char> buffer);

struct FileSystem {
  std::uint64_t type = 0;  // magic number, linux/magic.h
  std::uint64_t id = 0;    // f_fsid: stays over reboots where the file system has a UUID
};
Result<FileSystem> file_system_of(int fd);

// Up to `size` bytes from the descriptor's position, in one allocation; fewer at the end of the
// file.
Result<std::string> read_whole(int fd, std::size_t size);
// renameat(2) and unlinkat(2) within one folder.
Status rename_in(int dirfd, const std::string& from, const std::string& to);
Status unlink_in(int dirfd, const std::string& name);

// The clock that stamps files (CLOCK_REALTIME_COARSE), in nanoseconds since 1970.
std::uint64_t file_clock_ns();

}  // namespace ward::sys
