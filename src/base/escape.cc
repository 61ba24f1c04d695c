// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/escape.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.h"

namespace ward {

namespace {

struct Range {
  char32_t first;
  char32_t last;
  std::string_view reason;
};
// Sorted. Unicode 15 general categories Cc, Cf, Zl, Zp and the default-ignorable code points, as
// ranges; a few unassigned ones in between are escaped with them.
constexpr std::array kEscaped = std::to_array<Range>({
    {0x0000, 0x001f, "C0 controls: ANSI sequences, newlines, bells"},
    {0x007f, 0x009f, "delete and C1 controls: one-byte CSI and OSC"},
    {0x00ad, 0x00ad, "soft hyphen"},
    {0x034f, 0x034f, "combining grapheme joiner"},
    {0x0600, 0x0605, "Arabic number signs"},
    {0x061c, 0x061c, "Arabic letter mark (bidi)"},
    {0x06dd, 0x06dd, "Arabic end of ayah"},
    {0x070f, 0x070f, "Syriac abbreviation mark"},
    {0x0890, 0x0891, "Arabic currency marks"},
    {0x08e2, 0x08e2, "Arabic disputed end of ayah"},
    {0x115f, 0x1160, "Hangul fillers: blank"},
    {0x17b4, 0x17b5, "Khmer inherent vowels: invisible"},
    {0x180b, 0x180f, "Mongolian selectors and vowel separator"},
    {0x200b, 0x200f, "zero-width characters and direction marks"},
    {0x2028, 0x202e, "line and paragraph separators, bidi overrides"},
    {0x2060, 0x206f, "word joiner, invisible operators, bidi isolates"},
    {0x2800, 0x2800, "Braille blank"},
    {0x3164, 0x3164, "Hangul filler: blank"},
    {0xfe00, 0xfe0f, "variation selectors"},
    {0xfeff, 0xfeff, "byte order mark"},
    {0xffa0, 0xffa0, "halfwidth Hangul filler: blank"},
    {0xfff0, 0xfffb, "interlinear annotation"},
    {0xfffe, 0xffff, "no characters"},
    {0x110bd, 0x110bd, "Kaithi number sign"},
    {0x110cd, 0x110cd, "Kaithi number sign above"},
    {0x13430, 0x1343f, "Egyptian hieroglyph format controls"},
    {0x1bca0, 0x1bca3, "shorthand format controls"},
    {0x1d173, 0x1d17a, "musical format controls"},
    {0xe0000, 0xe0fff, "tags and more variation selectors: hidden text"},
});

bool is_escaped(char32_t code) {
  const auto* range =
      std::lower_bound(kEscaped.begin(), kEscaped.end(), code,
                       [](const Range& entry, char32_t value) { return entry.last < value; });
  return range != kEscaped.end() && range->first <= code;
}

void append_hex(std::string& out, std::uint32_t value, std::size_t least_digits) {
  std::array<char, 8> digits = {};
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  auto count = static_cast<std::size_t>(end - digits.data());
  if (count < least_digits) out.append(least_digits - count, '0');
  out.append(digits.data(), count);
}

void append_escaped(std::string& out, char32_t code) {
  switch (code) {
    case U'\n': out += "\\n"; return;
    case U'\r': out += "\\r"; return;
    case U'\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u{";
  append_hex(out, code, 1);
  out += '}';
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t offset = 0; offset < text.size();) {
    Utf8Char next = decode_utf8(text, offset);
    if (next.size == 0) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[offset]), 2);
      ++offset;
      continue;
    }
    if (next.code == U'\\')
      out += "\\\\";
    else if (is_escaped(next.code))
      append_escaped(out, next.code);
    else
      out += text.substr(offset, next.size);
    offset += next.size;
  }
  return out;
}

}  // namespace ward
