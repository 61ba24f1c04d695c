// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The bytes of network protocols as tests write them: numbers of the network's order, and what is
// counted by one. Pure.
#pragma once

#include <cstddef>
#include <string>

namespace ward::test {

inline std::string number(std::size_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = size; i > 0; --i)
    bytes.push_back(static_cast<char>((value >> (8 * (i - 1))) & 0xffU));
  return bytes;
}

// The content with its size, which takes `size` bytes, before it.
inline std::string counted(const std::string& content, std::size_t size) {
  return number(content.size(), size) + content;
}

}  // namespace ward::test
