// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. File
// names, arguments and output of a sandbox are bytes that merely tend to be UTF-8; whoever prints
// or stores them as text decodes them here. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ward {

struct Utf8Char {
  char32_t code = 0;
  std::size_t size = 0;  // bytes it takes; 0 where the bytes are no valid character
};
// The character at `offset`, which is below text.size().
Utf8Char decode_utf8(std::string_view text, std::size_t offset);

bool is_utf8(std::string_view text);

}  // namespace ward
