// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/scrub.h"

#include <algorithm>

namespace ward::egress {

namespace {

// Masks every value in `text`, overlapping ones too (they are looked for in `original`, the same
// bytes before anything was masked). Returns where the last one ends.
std::size_t mask(std::string& text, std::string_view original, const ByteSearch& values,
                 std::size_t& found) {
  std::size_t masked_to = 0;
  for (auto match = values.find(original); match; match = values.find(original, match->at + 1)) {
    const std::size_t end = std::max(masked_to, match->at + match->size);
    for (std::size_t at = std::max(masked_to, match->at); at < end; ++at) text[at] = '*';
    masked_to = end;
    ++found;
  }
  return masked_to;
}

}  // namespace

std::string_view Scrubber::take(std::string_view part) {
  if (held_.empty() && values_.open_tail(part) == 0 && !values_.find(part)) return part;
  held_.append(part);
  return pass(held_.size() - values_.open_tail(held_));
}

std::string_view Scrubber::finish() { return pass(held_.size()); }

std::string_view Scrubber::pass(std::size_t size) {
  passed_ = held_;
  std::fill_n(passed_.begin(), held_masked_, '*');
  const std::size_t masked_to = std::max(held_masked_, mask(passed_, held_, values_, found_));
  held_.erase(0, size);
  held_masked_ = masked_to > size ? masked_to - size : 0;
  return std::string_view(passed_).substr(0, size);
}

std::string scrubbed(std::string_view text, const ByteSearch& values) {
  std::string result(text);
  std::size_t found = 0;
  mask(result, text, values, found);
  return result;
}

}  // namespace ward::egress
