// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "sys/file.h"

namespace ward::sys {

namespace {
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
}  // namespace

Result<UniqueFd> sealed_memory(const char* name, std::string_view bytes) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return fail_errno(errno, "memfd_create");
  WARD_TRY(write_all(fd.get(), bytes));
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) return fail_errno(errno, "F_ADD_SEALS");
  return fd;
}

Result<std::string> read_sealed_memory(int fd, std::uint64_t max_bytes) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals)
    return fail(ErrorKind::invalid, "a descriptor that is not sealed memory");
  WARD_ASSIGN(const struct stat status, stat_fd(fd));
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes)
    return fail(ErrorKind::exhausted, "sealed memory that is too large");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t size =
        ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return fail_errno(size < 0 ? errno : EIO, "read sealed memory");
    done += static_cast<std::size_t>(size);
  }
  return bytes;
}

}  // namespace ward::sys
