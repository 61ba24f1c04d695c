// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/remote_process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>

#include "sys/file.h"
#include "sys/uapi.h"

namespace ward::sys {

namespace {

constexpr std::uint64_t kPage = 4096;

std::string of_thread(const char* what, pid_t tid) {
  return std::string(what) + " of thread " + std::to_string(tid);
}

Result<UniqueFd> open_of(pid_t tid, const char* entry, int flags) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", tid, entry);
  int fd = ::open(path.data(), flags | O_CLOEXEC);
  if (fd < 0) return fail_errno(errno, std::string("open ") + path.data());
  return UniqueFd(fd);
}

// The number after `key`, or the last of several where `last`.
enum class Which : std::uint8_t { first, last };
long field(const std::string& text, std::string_view key, int base, Which which) {
  std::size_t at = text.find(key);
  if (at == std::string::npos) return 0;
  std::size_t end = text.find('\n', at + key.size());
  std::string_view rest = std::string_view(text).substr(at + key.size(), end - at - key.size());
  std::size_t start =
      which == Which::last ? rest.find_last_of("\t ") : rest.find_first_not_of("\t ");
  if (start == std::string_view::npos) return 0;
  if (which == Which::last) ++start;
  long value = 0;
  std::from_chars(rest.data() + start, rest.data() + rest.size(), value, base);
  return value;
}

}  // namespace

Result<std::size_t> read_remote(pid_t tid, std::uint64_t address, std::span<char> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    // Piecewise by page: a piece that touches an unreadable page fails as a whole.
    std::size_t piece =
        std::min<std::uint64_t>(bytes.size() - done, kPage - ((address + done) % kPage));
    struct iovec local = {bytes.data() + done, piece};
    struct iovec remote = {reinterpret_cast<void*>(address + done), piece};  // NOLINT
    ssize_t size = ::process_vm_readv(tid, &local, 1, &remote, 1, 0);
    if (size <= 0) {
      if (done > 0) break;
      return fail_errno(size < 0 ? errno : EFAULT, of_thread("read memory", tid));
    }
    done += static_cast<std::size_t>(size);
  }
  return done;
}

Result<std::string> read_remote_path(pid_t tid, std::uint64_t address) {
  std::array<char, PATH_MAX> buffer;
  constexpr std::size_t kFirst = 256;  // most paths; more is read only when it is longer
  std::size_t done = 0;
  while (done < buffer.size()) {
    std::size_t want = std::min(done == 0 ? kFirst : buffer.size() - done, buffer.size() - done);
    // No further than the page: what lies behind the NUL is not ours to need.
    want = std::min<std::uint64_t>(want, kPage - ((address + done) % kPage));
    WARD_ASSIGN(std::size_t size,
                read_remote(tid, address + done, std::span(buffer).subspan(done, want)));
    if (const void* end = std::memchr(buffer.data() + done, '\0', size))
      return std::string(buffer.data(),
                         static_cast<std::size_t>(static_cast<const char*>(end) - buffer.data()));
    done += size;
  }
  return fail_errno(ENAMETOOLONG, of_thread("read a path", tid));
}

Result<UniqueFd> open_remote_root(pid_t tid) { return open_of(tid, "root", O_PATH | O_DIRECTORY); }

Result<UniqueFd> open_remote_cwd(pid_t tid) { return open_of(tid, "cwd", O_PATH | O_DIRECTORY); }

Result<UniqueFd> open_pidfd(pid_t tid) {
  long fd = ::syscall(SYS_pidfd_open, tid, uapi::kPidfdThread);
  if (fd < 0 && errno == EINVAL) {
    fd = ::syscall(SYS_pidfd_open, tid, 0);
    if (fd < 0) {
      WARD_ASSIGN(RemoteStatus status, remote_status(tid));
      fd = ::syscall(SYS_pidfd_open, status.process, 0);
    }
  }
  if (fd < 0) return fail_errno(errno, of_thread("pidfd_open", tid));
  return UniqueFd(static_cast<int>(fd));
}

Result<UniqueFd> copy_remote_descriptor(pid_t tid, int fd) {
  WARD_ASSIGN(UniqueFd pidfd, open_pidfd(tid));
  long copy = ::syscall(SYS_pidfd_getfd, pidfd.get(), fd, 0);
  if (copy < 0) return fail_errno(errno, of_thread("copy a descriptor", tid));
  return UniqueFd(static_cast<int>(copy));
}

Result<RemoteStatus> remote_status(pid_t tid) {
  WARD_ASSIGN(UniqueFd file, open_of(tid, "status", O_RDONLY));
  WARD_ASSIGN(std::string text, read_fd(file.get(), kPage * 4));
  RemoteStatus status;
  status.umask = static_cast<mode_t>(field(text, "\nUmask:", 8, Which::first));
  status.process = static_cast<pid_t>(field(text, "\nTgid:", 10, Which::first));
  status.inner_process = static_cast<pid_t>(field(text, "\nNStgid:", 10, Which::last));
  status.inner_thread = static_cast<pid_t>(field(text, "\nNSpid:", 10, Which::last));
  return status;
}

Result<std::uint64_t> remote_terminal(pid_t tid) {
  WARD_ASSIGN(UniqueFd file, open_of(tid, "stat", O_RDONLY));
  WARD_ASSIGN(std::string text, read_fd(file.get(), kPage));
  // The name stands in brackets and may hold anything; behind its last one come state, ppid, pgrp,
  // session, tty.
  std::size_t at = text.rfind(')');
  int state_to_terminal = 5;
  while (at != std::string::npos && state_to_terminal-- > 0) at = text.find(' ', at + 1);
  if (at == std::string::npos) return fail(ErrorKind::bug, of_thread("unknown form of stat", tid));
  std::uint32_t device = 0;
  std::from_chars(text.data() + at + 1, text.data() + text.size(), device);
  return device;
}

}  // namespace ward::sys
