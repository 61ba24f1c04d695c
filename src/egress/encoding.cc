// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ward::egress {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kLowerHex = "0123456789abcdef", kUpperHex = "0123456789ABCDEF";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void append_hex(std::string& to, char c, std::string_view digits) {
  const auto byte = static_cast<unsigned char>(c);
  to += digits[byte >> 4U];
  to += digits[byte & 15U];
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string percent_encoded(std::string_view text, std::string_view digits, bool form) {
  std::string result;
  for (const char c : text) {
    if (is_unreserved(c)) {
      result += c;
    } else if (form && c == ' ') {
      result += '+';
    } else {
      result += '%';
      append_hex(result, c, digits);
    }
  }
  return result;
}

std::string json_escaped(std::string_view text, bool slash) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\' || (slash && c == '/')) result += '\\';
    result += c;
  }
  return result;
}

std::string hexadecimal(std::string_view text, std::string_view digits) {
  std::string result;
  for (const char c : text) append_hex(result, c, digits);
  return result;
}

std::string url_alphabet(std::string text) {
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

// The part of the base64 text that does not depend on what stands before and after: `before` bytes
// (modulo 3) precede, so that many bits of the first characters are not ours.
std::string base64_inside(std::string_view text, std::size_t before) {
  const std::string encoded = base64_encode(std::string(before, '\0') + std::string(text));
  const std::size_t first = (8 * before + 5) / 6;
  const std::size_t end = 8 * (before + text.size()) / 6;
  return end > first ? encoded.substr(first, end - first) : std::string();
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group =
          group << 8U | (i + j < bytes.size()
                             ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + j]))
                             : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      result += i + j > bytes.size() ? '=' : kAlphabet[group >> (18U - 6U * j) & 63U];
  }
  return result;
}

std::optional<std::string> base64_decode(std::string_view text) {
  static const std::array<std::int8_t, 256> kValues = [] {
    std::array<std::int8_t, 256> values = {};
    values.fill(-1);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
      values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
    values['-'] = 62;
    values['_'] = 63;
    return values;
  }();
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string result;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::int8_t value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    group = group << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    result += static_cast<char>(group >> bits & 255U);
  }
  return result;
}

std::string percent_decode(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool whole = text[i] == '%' && i + 2 < text.size();
    const int high = whole ? hex_digit(text[i + 1]) : -1;
    const int low = whole ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      result += text[i];
      continue;
    }
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

std::vector<std::string> spellings(std::string_view text, std::size_t min_size) {
  std::vector<std::string> all = {
      std::string(text),
      percent_encoded(text, kUpperHex, false),
      percent_encoded(text, kLowerHex, false),
      percent_encoded(text, kUpperHex, true),
      json_escaped(text, false),
      json_escaped(text, true),
      hexadecimal(text, kLowerHex),
      hexadecimal(text, kUpperHex),
  };
  for (std::size_t before = 0; before < 3; ++before) {
    all.push_back(base64_inside(text, before));
    all.push_back(url_alphabet(all.back()));
  }
  std::vector<std::string> result;
  for (std::string& one : all)
    if (one.size() >= min_size && std::find(result.begin(), result.end(), one) == result.end())
      result.push_back(std::move(one));
  return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lowered(x) == lowered(y); });
}

}  // namespace ward::egress
