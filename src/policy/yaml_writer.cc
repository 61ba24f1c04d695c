// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/yaml_writer.h"

#include <algorithm>

#include "policy/node.h"

namespace ward::policy {

std::string yaml_scalar(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '-' || c == '~';
  };
  // What YAML 1.1 readers take for a boolean is quoted too.
  static constexpr std::string_view kWords[] = {"yes", "no", "on", "off", "y", "n"};
  const bool word = std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords);
  const bool plain = !text.empty() && text[0] != '-' && !word &&
                     std::all_of(text.begin(), text.end(), is_plain) &&
                     (plain_kind(text) == Node::Kind::string || text == "~");
  return plain ? std::string(text) : json_string(text);
}

std::string json_string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20U || byte == 0x7fU) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace ward::policy
