// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Scrubber takes the values of secrets out of what comes back: each byte of a value, in any of its
// usual spellings, becomes a `*`, so that lengths, frames and checks of size stay true. It works on
// a stream in parts and holds back only an end that may be the beginning of a value, so an event
// stream is not delayed. One thread; one Scrubber a stream.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "egress/byte_search.h"

namespace ward::egress {

class Scrubber {
 public:
  // `values` must outlive it.
  explicit Scrubber(const ByteSearch& values) : values_(values) {}

  // Takes the next part of the stream and returns what can go on now: valid until the next call.
  std::string_view take(std::string_view part);
  // The end of the stream: what was held back.
  std::string_view finish();
  std::size_t found() const { return found_; }

 private:
  std::string_view pass(std::size_t size);

  const ByteSearch& values_;
  std::string held_;             // as it came, from the first byte that was not passed on
  std::size_t held_masked_ = 0;  // bytes at its beginning that belong to a value found before
  std::string passed_;
  std::size_t found_ = 0;
};

// A whole text, such as a header.
std::string scrubbed(std::string_view text, const ByteSearch& values);

}  // namespace ward::egress
