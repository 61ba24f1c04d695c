// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/tty.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace ward::sys {

namespace {
std::string of(const char* call, int fd) { return std::string(call) + " fd " + std::to_string(fd); }
}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

Result<struct termios> terminal_mode(int fd) {
  struct termios mode = {};
  if (::tcgetattr(fd, &mode) != 0) return fail_errno(errno, of("tcgetattr", fd));
  return mode;
}

Status set_terminal_mode(int fd, const struct termios& mode) {
  int rc = -1;
  do {
    rc = ::tcsetattr(fd, TCSANOW, &mode);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) return fail_errno(errno, of("tcsetattr", fd));
  return {};
}

Result<struct winsize> window_size(int fd) {
  struct winsize size = {};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return fail_errno(errno, of("TIOCGWINSZ", fd));
  return size;
}

Status set_window_size(int fd, const struct winsize& size) {
  if (::ioctl(fd, TIOCSWINSZ, &size) != 0) return fail_errno(errno, of("TIOCSWINSZ", fd));
  return {};
}

bool in_foreground(int fd) {
  pid_t group = ::tcgetpgrp(fd);
  return group < 0 ? errno == ENOTTY : group == ::getpgrp();
}

Result<RawMode> RawMode::enter(int fd) {
  WARD_ASSIGN(struct termios before, terminal_mode(fd));
  struct termios raw = before;
  ::cfmakeraw(&raw);
  WARD_TRY(set_terminal_mode(fd, raw));
  return RawMode(fd, before);
}

RawMode::RawMode(RawMode&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), before_(other.before_) {}

RawMode::~RawMode() {
  // A hung-up terminal has no mode to restore; there is nobody to tell either.
  if (fd_ >= 0 && in_foreground(fd_))
    static_cast<void>(set_terminal_mode(fd_, before_).has_value());
}

Result<Pty> open_pty() {
  UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master.valid()) return fail_errno(errno, "posix_openpt");
  if (::unlockpt(master.get()) != 0) return fail_errno(errno, "unlockpt");
  WARD_ASSIGN(UniqueFd slave, open_peer(master.get()));
  return Pty{std::move(master), std::move(slave)};
}

Result<UniqueFd> open_peer(int master) {
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave.valid()) return fail_errno(errno, of("TIOCGPTPEER", master));
  return slave;
}

}  // namespace ward::sys
