// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/id.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>

namespace ward {

namespace {

constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t kTimeSize = 6;
// 26 digits of five bits are two more than 128: the first digit is below 8.
constexpr unsigned kSpareBits = 2;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

Result<Id> Id::make() {
  std::array<std::uint8_t, kRandomSize> random = {};
  ssize_t size = -1;
  do {
    size = ::getrandom(random.data(), random.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(random.size())) return fail_errno(errno, "getrandom");
  auto now = std::chrono::system_clock::now();
  return of(std::chrono::floor<std::chrono::milliseconds>(now), random);
}

Id Id::of(Time time, const std::array<std::uint8_t, kRandomSize>& random) {
  std::array<std::uint8_t, 16> bytes = {};
  auto milliseconds = static_cast<std::uint64_t>(time.time_since_epoch().count());
  for (std::size_t index = 0; index < kTimeSize; ++index)
    bytes[index] = static_cast<std::uint8_t>(milliseconds >> (8 * (kTimeSize - 1 - index)));
  std::copy(random.begin(), random.end(), bytes.begin() + kTimeSize);
  return Id(bytes);
}

Result<Id> Id::parse(std::string_view text) {
  if (text.size() != kTextSize)
    return fail(ErrorKind::invalid,
                "an id has 26 characters, this has " + std::to_string(text.size()));
  std::array<std::uint8_t, 16> bytes = {};
  unsigned held = 0;  // bits read and not yet stored
  unsigned held_bits = 0;
  std::size_t stored = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    std::size_t digit = kDigits.find(lower(text[index]));
    if (digit == std::string_view::npos || (index == 0 && digit >= 8))
      return fail(ErrorKind::invalid,
                  "character " + std::to_string(index + 1) + " cannot stand in an id");
    held = (held << 5U) | static_cast<unsigned>(digit);
    held_bits += index == 0 ? 5 - kSpareBits : 5;
    if (held_bits < 8) continue;
    held_bits -= 8;
    bytes[stored++] = static_cast<std::uint8_t>(held >> held_bits);
  }
  return Id(bytes);
}

std::string Id::text() const {
  std::string text;
  text.reserve(kTextSize);
  unsigned held = 0;
  unsigned held_bits = kSpareBits;
  for (std::uint8_t byte : bytes_) {
    held = (held << 8U) | byte;
    held_bits += 8;
    while (held_bits >= 5) {
      held_bits -= 5;
      text += kDigits[(held >> held_bits) & 31U];
    }
  }
  return text;
}

Id::Time Id::time() const {
  std::uint64_t milliseconds = 0;
  for (std::size_t index = 0; index < kTimeSize; ++index)
    milliseconds = (milliseconds << 8U) | bytes_[index];
  return Time(std::chrono::milliseconds(milliseconds));
}

}  // namespace ward
