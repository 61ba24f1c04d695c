// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/stream.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "sys/file.h"

namespace ward::sys {

namespace {

// The result of a reading call: 0 is the end of the stream; EIO is what a terminal says whose other
// side is gone, ECONNRESET a socket.
Result<Transfer> taken(ssize_t size, const char* call, int fd) {
  if (size > 0) return Transfer{Transfer::State::some, static_cast<std::size_t>(size)};
  if (size == 0) return Transfer{Transfer::State::end, 0};
  if (errno == EAGAIN || errno == EINTR) return Transfer{Transfer::State::again, 0};
  if (errno == ECONNRESET || (errno == EIO && ::isatty(fd) == 1))
    return Transfer{Transfer::State::end, 0};
  return fail_errno(errno, std::string(call) + " fd " + std::to_string(fd));
}

Result<Transfer> given(ssize_t size, const char* call, int fd) {
  if (size >= 0) return Transfer{Transfer::State::some, static_cast<std::size_t>(size)};
  if (errno == EAGAIN || errno == EINTR) return Transfer{Transfer::State::again, 0};
  if (errno == EPIPE || errno == ECONNRESET || (errno == EIO && ::isatty(fd) == 1))
    return Transfer{Transfer::State::end, 0};
  return fail_errno(errno, std::string(call) + " fd " + std::to_string(fd));
}

}  // namespace

Result<Transfer> read_some(int fd, std::span<char> into) {
  return taken(::read(fd, into.data(), into.size()), "read", fd);
}

Result<Transfer> read_some_at(int fd, std::span<char> into, std::uint64_t offset) {
  return taken(::pread(fd, into.data(), into.size(), static_cast<off_t>(offset)), "pread", fd);
}

Result<Transfer> write_some(int fd, std::string_view bytes) {
  return given(::write(fd, bytes.data(), bytes.size()), "write", fd);
}

Result<Transfer> receive_some(int socket, std::span<char> into, Receive how) {
  int flags = MSG_DONTWAIT | (how == Receive::peek ? MSG_PEEK : 0);
  return taken(::recv(socket, into.data(), into.size(), flags), "recv", socket);
}

Result<Transfer> send_some(int socket, std::string_view bytes) {
  return given(::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL), "send",
               socket);
}

Result<Transfer> tee_some(int from, int to, std::size_t max_bytes) {
  ssize_t size = ::tee(from, to, max_bytes, SPLICE_F_NONBLOCK);
  if (size < 0 && errno == EPIPE) return fail_errno(EPIPE, "tee");
  return taken(size, "tee", from);
}

Result<Transfer> splice_some(int from, int to, std::size_t max_bytes) {
  ssize_t size = ::splice(from, nullptr, to, nullptr, max_bytes, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  if (size < 0 && errno == EPIPE) return fail_errno(EPIPE, "splice");
  return taken(size, "splice", from);
}

bool ready_now(int fd, Direction direction) {
  struct pollfd item = {fd, POLLIN, 0};
  if (direction == Direction::write) item.events = POLLOUT;
  return ::poll(&item, 1, 0) == 1;
}

Result<std::pair<UniqueFd, UniqueFd>> make_pipe() {
  std::array<int, 2> fds = {-1, -1};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return fail_errno(errno, "pipe2");
  return std::pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

Status set_pipe_capacity(int pipe, std::size_t bytes) {
  if (::fcntl(pipe, F_SETPIPE_SZ, static_cast<int>(bytes)) < 0)
    return fail_errno(errno, "F_SETPIPE_SZ");
  return {};
}

Result<std::size_t> unread_bytes(int fd) {
  int count = 0;
  if (::ioctl(fd, FIONREAD, &count) != 0) return fail_errno(errno, "FIONREAD");
  return static_cast<std::size_t>(count);
}

Status set_nonblocking(int fd) {
  int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    return fail_errno(errno, "F_SETFL fd " + std::to_string(fd));
  return {};
}

Result<UniqueFd> reopen(int fd, int flags) {
  return open_path("/proc/self/fd/" + std::to_string(fd), flags);
}

bool same_open_file(int a, int b) {
  long self = ::getpid();
  long order = ::syscall(SYS_kcmp, self, self, KCMP_FILE, a, b);
  if (order >= 0) return order == 0;
  auto first = stat_fd(a);
  auto second = stat_fd(b);
  return first && second && object_id(*first) == object_id(*second);
}

}  // namespace ward::sys
