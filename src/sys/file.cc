// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/file.h"

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ward::sys {

namespace {

std::string at(int dirfd, const std::string& path) {
  if (dirfd == AT_FDCWD || (!path.empty() && path.front() == '/')) return path;
  return "fd " + std::to_string(dirfd) + "/" + path;
}

}  // namespace

ObjectId object_id(const struct stat& status) { return {status.st_dev, status.st_ino}; }

Result<UniqueFd> open_at(int dirfd, const std::string& path, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = ::openat(dirfd, path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return fail_errno(errno, "open " + at(dirfd, path));
  return UniqueFd(fd);
}

Result<UniqueFd> open_resolved(int dirfd, const std::string& path, int flags, std::uint64_t resolve,
                               mode_t mode) {
  struct open_how how = {};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = resolve;
  long fd = -1;
  do {
    fd = ::syscall(SYS_openat2, dirfd, path.c_str(), &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  if (fd < 0) return fail_errno(errno, "openat2 " + at(dirfd, path));
  return UniqueFd(static_cast<int>(fd));
}

Result<struct stat> stat_at(int dirfd, const std::string& path, int flags) {
  struct stat status = {};
  if (::fstatat(dirfd, path.c_str(), &status, flags) != 0)
    return fail_errno(errno, "stat " + at(dirfd, path));
  return status;
}

Result<struct stat> stat_fd(int fd) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return fail_errno(errno, "stat fd " + std::to_string(fd));
  return status;
}

Result<std::string> readlink_at(int dirfd, const std::string& path) {
  std::array<char, 4096> buffer;
  ssize_t size = ::readlinkat(dirfd, path.c_str(), buffer.data(), buffer.size());
  if (size < 0) return fail_errno(errno, "readlink " + at(dirfd, path));
  if (static_cast<std::size_t>(size) == buffer.size())
    return fail_errno(ENAMETOOLONG, "readlink " + at(dirfd, path));
  return std::string(buffer.data(), static_cast<std::size_t>(size));
}

Result<std::string> path_of_fd(int fd) {
  WARD_ASSIGN(std::string path, readlink_at(AT_FDCWD, "/proc/self/fd/" + std::to_string(fd)));
  WARD_ASSIGN(struct stat status, stat_fd(fd));
  if (status.st_nlink == 0) return fail_errno(ENOENT, "path of deleted " + path);
  return path;
}

Result<std::string> read_fd(int fd, std::uint64_t max_bytes) {
  std::string bytes;
  std::array<char, 16384> buffer;
  for (;;) {
    ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail_errno(errno, "read fd " + std::to_string(fd));
    if (size == 0) return bytes;
    if (bytes.size() + static_cast<std::size_t>(size) > max_bytes)
      return fail(ErrorKind::exhausted, "more than " + std::to_string(max_bytes) + " bytes");
    bytes.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
  WARD_ASSIGN(UniqueFd fd, open_path(path, O_RDONLY));
  return in_context(read_fd(fd.get(), max_bytes), "read " + path);
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t size = ::write(fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail_errno(errno, "write fd " + std::to_string(fd));
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

Status write_kernel_file(const std::string& path, std::string_view text) {
  WARD_ASSIGN(UniqueFd fd, open_path(path, O_WRONLY));
  ssize_t size = ::write(fd.get(), text.data(), text.size());
  if (size != static_cast<ssize_t>(text.size())) return fail_errno(errno, "write " + path);
  return {};
}

Status replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "create " + temporary);
  Status written = write_all(fd.get(), bytes);
  if (written && ::fchmod(fd.get(), mode) != 0) written = fail_errno(errno, "chmod " + temporary);
  if (written && ::fsync(fd.get()) != 0) written = fail_errno(errno, "fsync " + temporary);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = fail_errno(errno, "rename " + temporary + " to " + path);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

Status make_dirs(const std::string& path, mode_t mode) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string prefix = path.substr(0, end);
    if (::mkdir(prefix.c_str(), mode) != 0 && errno != EEXIST)
      return fail_errno(errno, "mkdir " + prefix);
    if (end == std::string::npos) return {};
  }
}

}  // namespace ward::sys
