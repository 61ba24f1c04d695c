// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <array>

namespace ward {

namespace {

struct Lead {
  unsigned char mask;
  unsigned char bits;
  std::size_t size;
  char32_t smallest;  // anything below it would be an overlong form
};
constexpr std::array<Lead, 4> kLeads = {{
    {0x80, 0x00, 1, 0},
    {0xe0, 0xc0, 2, 0x80},
    {0xf0, 0xe0, 3, 0x800},
    {0xf8, 0xf0, 4, 0x10000},
}};
constexpr char32_t kLargest = 0x10ffff;

bool is_surrogate(char32_t code) { return code >= 0xd800 && code <= 0xdfff; }

}  // namespace

Utf8Char decode_utf8(std::string_view text, std::size_t offset) {
  auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[offset + index]); };
  for (const Lead& lead : kLeads) {
    if ((byte(0) & lead.mask) != lead.bits) continue;
    if (text.size() - offset < lead.size) return {};
    char32_t code = byte(0) & static_cast<unsigned char>(~lead.mask);
    for (std::size_t index = 1; index < lead.size; ++index) {
      if ((byte(index) & 0xc0U) != 0x80) return {};
      code = (code << 6U) | (byte(index) & 0x3fU);
    }
    if (code < lead.smallest || code > kLargest || is_surrogate(code)) return {};
    return {code, lead.size};
  }
  return {};
}

bool is_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    std::size_t size = decode_utf8(text, offset).size;
    if (size == 0) return false;
    offset += size;
  }
  return true;
}

}  // namespace ward
