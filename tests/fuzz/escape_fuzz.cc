// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What a hostile name or message becomes before a terminal sees it: one line of valid UTF-8 without
// any control character, from which the bytes can be told again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/escape.h"
#include "base/utf8.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

int hex_digit(char c) {
  require((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((code >> shift) & 0x3fU));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0U | (code >> 12U));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0U | (code >> 18U));
    tail(12), tail(6), tail(0);
  }
}

// One escape sequence of `shown` at `at`, behind its backslash.
void append_escape(std::string& out, std::string_view shown, std::size_t& at) {
  const char kind = shown.at(at++);
  switch (kind) {
    case '\\': out += '\\'; return;
    case 'n': out += '\n'; return;
    case 'r': out += '\r'; return;
    case 't': out += '\t'; return;
    case 'x':
      out += static_cast<char>(hex_digit(shown.at(at)) * 16 + hex_digit(shown.at(at + 1)));
      at += 2;
      return;
    default: break;
  }
  require(kind == 'u' && shown.at(at++) == '{');
  std::uint32_t code = 0;
  for (; shown.at(at) != '}'; ++at)
    code = code * 16 + static_cast<std::uint32_t>(hex_digit(shown.at(at)));
  ++at;
  append_utf8(out, code);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string shown = ward::escape_for_terminal(text);
  require(ward::is_utf8(shown));
  std::string told;
  for (std::size_t at = 0; at < shown.size();) {
    const auto byte = static_cast<unsigned char>(shown[at]);
    require(byte >= 0x20 && byte != 0x7f);
    require(byte != 0xc2 || static_cast<unsigned char>(shown[at + 1]) >= 0xa0);  // no C1 control
    if (shown[at++] == '\\')
      append_escape(told, shown, at);
    else
      told += static_cast<char>(byte);
  }
  require(told == text);
  return 0;
}
