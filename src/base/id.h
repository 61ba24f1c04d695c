// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Id: the name of a run, and of what else Ward must name: 48 bits of time in milliseconds and 80
// random bits, written as 26 characters of Crockford's base 32 in lower case (ULID's layout). Sorts
// by time, fits a host name and a file name, and is unguessable. A value; safe from any thread.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ward {

class Id {
 public:
  static constexpr std::size_t kTextSize = 26;
  static constexpr std::size_t kRandomSize = 10;
  using Time = std::chrono::sys_time<std::chrono::milliseconds>;

  // A new one, from the real-time clock and getrandom(2).
  static Result<Id> make();
  // The one with this time (of which 48 bits count) and these random bytes.
  static Id of(Time time, const std::array<std::uint8_t, kRandomSize>& random);
  // Accepts exactly 26 characters, in either case; I, L, O and U are refused, not guessed at.
  static Result<Id> parse(std::string_view text);

  std::string text() const;
  Time time() const;

  auto operator<=>(const Id&) const = default;

 private:
  explicit Id(const std::array<std::uint8_t, 16>& bytes) : bytes_(bytes) {}
  std::array<std::uint8_t, 16> bytes_;
};

}  // namespace ward
