// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// UniqueFd owns one file descriptor and closes it once. Move-only; not convertible to int on
// purpose, so that every hand-over of ownership is visible as release() or std::move.
#pragma once

#include <unistd.h>

#include <utility>

namespace ward {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  // close(2) errors are ignored on purpose: after it the descriptor is gone whatever it says. Where
  // a late write error matters, fsync before.
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace ward
