// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/payload.h"

#include "base/utf8.h"

namespace ward::journal {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void append_hex(std::string& out, unsigned char byte) {
  out += kHexDigits[byte >> 4U];
  out += kHexDigits[byte & 15U];
}

void append_character(std::string& out, char character) {
  switch (character) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\t': out += "\\t"; return;
    case '\n': out += "\\n"; return;
    case '\f': out += "\\f"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  if (static_cast<unsigned char>(character) >= 0x20) {
    out += character;
    return;
  }
  out += "\\u00";
  append_hex(out, static_cast<unsigned char>(character));
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (char character : text) append_character(out, character);
  out += '"';
  return out;
}

std::string json_of(std::string_view value) {
  if (is_utf8(value)) return json_string(value);
  std::string out = "{\"$bytes\":\"";
  for (char character : value) append_hex(out, static_cast<unsigned char>(character));
  out += "\"}";
  return out;
}

template <class Items, class ToJson>
std::string json_list(const Items& items, ToJson to_json) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += to_json(item);
  }
  out += ']';
  return out;
}

}  // namespace

Payload& Payload::set(std::string_view key, std::string_view value) {
  members_.insert_or_assign(std::string(key), json_of(value));
  return *this;
}

Payload& Payload::set_number(std::string_view key, std::int64_t value) {
  members_.insert_or_assign(std::string(key), std::to_string(value));
  return *this;
}

Payload& Payload::set(std::string_view key, const Payload& value) {
  members_.insert_or_assign(std::string(key), value.text());
  return *this;
}

Payload& Payload::set_flag(std::string_view key, bool value) {
  members_.insert_or_assign(std::string(key), value ? "true" : "false");
  return *this;
}

Payload& Payload::set_list(std::string_view key, std::span<const std::string> values) {
  members_.insert_or_assign(std::string(key), json_list(values, json_of));
  return *this;
}

Payload& Payload::set_list(std::string_view key, std::span<const Payload> values) {
  members_.insert_or_assign(std::string(key),
                            json_list(values, [](const Payload& value) { return value.text(); }));
  return *this;
}

std::string Payload::text() const {
  std::string out = "{";
  for (const auto& [key, json] : members_) {
    if (out.size() > 1) out += ',';
    out += json_string(key);
    out += ':';
    out += json;
  }
  out += '}';
  return out;
}

}  // namespace ward::journal
