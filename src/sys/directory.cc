// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/directory.h"

#include <dirent.h>
#include <linux/openat2.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

namespace ward::sys {

namespace {

Result<UniqueFd> open_folder(int dirfd, const char* path, int flags) {
  struct open_how how = {};
  how.flags = static_cast<std::uint64_t>(flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  how.resolve = RESOLVE_NO_SYMLINKS;
  long fd = -1;
  do {
    fd = ::syscall(SYS_openat2, dirfd, path, &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  if (fd < 0) return fail_errno(errno, std::string("open folder ") + path);
  return UniqueFd(static_cast<int>(fd));
}

std::uint64_t nanoseconds(const struct timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Result<UniqueFd> open_directory(int dirfd, const char* path) {
  return open_folder(dirfd, path, O_RDONLY | O_NONBLOCK);
}

Result<UniqueFd> open_directory_handle(int dirfd, const char* path) {
  return open_folder(dirfd, path, O_PATH);
}

ChangeStamp change_stamp(const struct stat& status) {
  return {object_id(status), nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

int stat_entry(int dirfd, const char* path, struct stat& status) {
  constexpr int kFlags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH;
  return ::fstatat(dirfd, path, &status, kFlags) == 0 ? 0 : errno;
}

bool may_search(int dirfd, const char* path) {
  return ::faccessat(dirfd, path, X_OK, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

bool DirectoryBatch::next(DirectoryEntry& entry) {
  // The kernel's record: inode, offset, record length, type, name with a final NUL.
  constexpr std::size_t kLengthAt = 16, kTypeAt = 18, kNameAt = 19;
  while (records_.size() > kNameAt) {
    std::uint16_t length = 0;
    std::memcpy(&length, records_.data() + kLengthAt, sizeof length);
    if (length <= kNameAt || length > records_.size()) return false;
    std::memcpy(&entry.inode, records_.data(), sizeof entry.inode);
    entry.type = static_cast<std::uint8_t>(records_[kTypeAt]);
    const char* name = records_.data() + kNameAt;
    entry.name = {name, ::strnlen(name, length - kNameAt)};
    records_ = records_.subspan(length);
    if (entry.name != "." && entry.name != "..") return true;
  }
  return false;
}

Result<std::span<const char>> read_directory(int fd, std::span<char> buffer) {
  long size = -1;
  do {
    size = ::syscall(SYS_getdents64, fd, buffer.data(), buffer.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) return fail_errno(errno, "getdents64 fd " + std::to_string(fd));
  return std::span<const char>(buffer.data(), static_cast<std::size_t>(size));
}

Result<FileSystem> file_system_of(int fd) {
  struct statfs status = {};
  if (::fstatfs(fd, &status) != 0) return fail_errno(errno, "statfs fd " + std::to_string(fd));
  FileSystem found;
  found.type = static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.f_type));
  static_assert(sizeof status.f_fsid == sizeof found.id);
  std::memcpy(&found.id, &status.f_fsid, sizeof found.id);
  return found;
}

Result<std::string> read_whole(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    ssize_t got = ::read(fd, bytes.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read fd " + std::to_string(fd));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

Status rename_in(int dirfd, const std::string& from, const std::string& to) {
  if (::renameat(dirfd, from.c_str(), dirfd, to.c_str()) != 0)
    return fail_errno(errno, "rename " + from + " to " + to);
  return {};
}

Status unlink_in(int dirfd, const std::string& name) {
  if (::unlinkat(dirfd, name.c_str(), 0) != 0) return fail_errno(errno, "unlink " + name);
  return {};
}

std::uint64_t file_clock_ns() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return nanoseconds(now);
}

}  // namespace ward::sys
