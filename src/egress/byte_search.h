// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ByteSearch finds any of a few texts in a stream of bytes, at the speed of memory where none is
// there: a window as long as the shortest text is moved by as much as its last two bytes permit.
// Immutable after construction; safe to share between threads. Source: S. Wu, U. Manber, "A fast
// algorithm for multi-pattern searching" (1994).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ward::egress {

class ByteSearch {
 public:
  static constexpr std::size_t kMinText = 4;

  // Equal texts are kept once. Preconditions: each has at least kMinText bytes.
  explicit ByteSearch(std::vector<std::string> texts);

  struct Match {
    std::size_t at = 0, size = 0;
  };
  // The leftmost match that begins at or after `from`; of several there, the longest.
  std::optional<Match> find(std::string_view bytes, std::size_t from = 0) const;

  // How many bytes at the end of `bytes` may be the beginning of a text: what a stream must hold
  // back until more has come. 0 for nearly every end.
  std::size_t open_tail(std::string_view bytes) const;

  bool empty() const { return texts_.empty(); }

 private:
  static std::size_t block(unsigned char first, unsigned char second) {
    return static_cast<std::size_t>(first) | static_cast<std::size_t>(second) << 8U;
  }

  std::vector<std::string> texts_;  // the longest first
  std::size_t window_ = 0, longest_ = 0;
  std::vector<std::uint8_t> shift_;    // by the last two bytes of the window
  std::array<bool, 256> begins_ = {};  // whether a text begins so
};

}  // namespace ward::egress
