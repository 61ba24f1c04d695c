// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/copy.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace ward::sys {

namespace {

constexpr std::size_t kPart = 1U << 17U;

// The next stretch of data at or behind `at`: [first, end). first == size where there is none.
struct Stretch {
  off_t first = 0;
  off_t end = 0;
};
Result<Stretch> next_data(int fd, off_t at, off_t size) {
  if (at >= size) return Stretch{size, size};
  off_t first = ::lseek(fd, at, SEEK_DATA);
  if (first < 0 && errno == ENXIO) return Stretch{size, size};
  if (first < 0 && errno == EINVAL) return Stretch{at, size};  // it knows no holes
  if (first < 0) return fail_errno(errno, "look for data in a file");
  off_t end = ::lseek(fd, first, SEEK_HOLE);
  if (end < 0) return fail_errno(errno, "look for a hole in a file");
  return Stretch{std::min(first, size), std::min(end, size)};
}

Status copy_stretch(int from, int to, Stretch stretch, std::vector<char>& buffer) {
  off_t in = stretch.first, out = stretch.first;
  while (in < stretch.end) {
    ssize_t moved =
        ::copy_file_range(from, &in, to, &out, static_cast<std::size_t>(stretch.end - in), 0);
    if (moved == 0) return {};  // it became shorter meanwhile
    if (moved > 0 || errno == EINTR) continue;
    if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
      return fail_errno(errno, "copy a file");
    break;
  }
  buffer.resize(kPart);
  while (in < stretch.end) {
    auto wanted = std::min(kPart, static_cast<std::size_t>(stretch.end - in));
    ssize_t got = ::pread(from, buffer.data(), wanted, in);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read a file to copy");
    if (got == 0) return {};
    for (ssize_t done = 0; done < got;) {
      ssize_t put =
          ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(got - done), in + done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return fail_errno(errno, "write a copy");
      done += put;
    }
    in += got;
  }
  return {};
}

bool read_part(int fd, std::vector<char>& buffer, std::size_t size, off_t at, int& error) {
  buffer.resize(size);
  for (std::size_t done = 0; done < size;) {
    ssize_t got = ::pread(fd, buffer.data() + done, size - done, at + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      error = got < 0 ? errno : 0;
      return false;
    }
    done += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

Status copy_contents(int from, int to) {
  if (::ioctl(to, FICLONE, from) == 0) return {};
  struct stat status = {};
  if (::fstat(from, &status) != 0) return fail_errno(errno, "fstat a file to copy");
  std::vector<char> buffer;
  for (off_t at = 0; at < status.st_size;) {
    WARD_ASSIGN(Stretch stretch, next_data(from, at, status.st_size));
    WARD_TRY(copy_stretch(from, to, stretch, buffer));
    at = stretch.end;
  }
  if (::ftruncate(to, status.st_size) != 0) return fail_errno(errno, "set the size of a copy");
  return {};
}

Result<bool> same_contents(int a, int b) {
  struct stat status_a = {}, status_b = {};
  if (::fstat(a, &status_a) != 0 || ::fstat(b, &status_b) != 0)
    return fail_errno(errno, "fstat files to compare");
  if (status_a.st_size != status_b.st_size) return false;
  const off_t size = status_a.st_size;
  std::vector<char> part_a, part_b;
  for (off_t at = 0; at < size;) {
    // Where both have a hole, both have zeros.
    WARD_ASSIGN(Stretch data_a, next_data(a, at, size));
    WARD_ASSIGN(Stretch data_b, next_data(b, at, size));
    at = std::min(data_a.first, data_b.first);
    const off_t end = data_a.first == data_b.first  ? std::max(data_a.end, data_b.end)
                      : data_a.first < data_b.first ? data_a.end
                                                    : data_b.end;
    while (at < end) {
      auto wanted = std::min(kPart, static_cast<std::size_t>(end - at));
      int error = 0;
      if (!read_part(a, part_a, wanted, at, error) || !read_part(b, part_b, wanted, at, error)) {
        if (error != 0) return fail_errno(error, "read files to compare");
        return false;
      }
      if (std::memcmp(part_a.data(), part_b.data(), wanted) != 0) return false;
      at += static_cast<off_t>(wanted);
    }
    if (data_a.first >= size && data_b.first >= size) break;
  }
  return true;
}

}  // namespace ward::sys
