// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/byte_search.h"

#include <algorithm>

namespace ward::egress {

ByteSearch::ByteSearch(std::vector<std::string> texts) : texts_(std::move(texts)) {
  std::sort(texts_.begin(), texts_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
  if (texts_.empty()) return;
  longest_ = texts_.front().size();
  window_ = std::min<std::size_t>(texts_.back().size(), 255);
  shift_.assign(1U << 16U, static_cast<std::uint8_t>(window_ - 1));
  for (const std::string& text : texts_) {
    begins_[static_cast<unsigned char>(text[0])] = true;
    for (std::size_t i = 1; i < window_; ++i) {
      std::uint8_t& shift = shift_[block(static_cast<unsigned char>(text[i - 1]),
                                         static_cast<unsigned char>(text[i]))];
      shift = std::min(shift, static_cast<std::uint8_t>(window_ - 1 - i));
    }
  }
}

std::optional<ByteSearch::Match> ByteSearch::find(std::string_view bytes, std::size_t from) const {
  if (texts_.empty()) return std::nullopt;
  for (std::size_t end = from + window_; end <= bytes.size();) {
    const std::uint8_t shift = shift_[block(static_cast<unsigned char>(bytes[end - 2]),
                                            static_cast<unsigned char>(bytes[end - 1]))];
    if (shift != 0) {
      end += shift;
      continue;
    }
    const std::size_t at = end - window_;
    for (const std::string& text : texts_)
      if (bytes.compare(at, text.size(), text) == 0) return Match{at, text.size()};
    ++end;
  }
  return std::nullopt;
}

std::size_t ByteSearch::open_tail(std::string_view bytes) const {
  if (texts_.empty()) return 0;
  std::size_t tail = std::min(bytes.size(), longest_ - 1);
  for (; tail > 0; --tail) {
    const std::string_view end = bytes.substr(bytes.size() - tail);
    if (!begins_[static_cast<unsigned char>(end[0])]) continue;
    for (const std::string& text : texts_) {
      if (text.size() <= tail) break;
      if (text.compare(0, tail, end) == 0) return tail;
    }
  }
  return 0;
}

}  // namespace ward::egress
