// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Payload: the body of an event, an object of canonical JSON: keys sorted, no white space, strings
// escaped in one way only, integers in decimal (as RFC 8785, for what it can hold). The text is
// what is hashed, so equal bodies have equal texts. A value; it neither parses nor needs a JSON
// library, for it is made on the start path.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace ward::journal {

class Payload {
 public:
  // Each replaces what the key had. A string that is not UTF-8 (a file name may be any bytes) is
  // kept whole as {"$bytes":"<hex>"}.
  Payload& set(std::string_view key, std::string_view value);
  Payload& set(std::string_view key, const char* value) {
    return set(key, std::string_view(value));
  }
  Payload& set_number(std::string_view key, std::int64_t value);
  Payload& set(std::string_view key, const Payload& value);
  Payload& set_flag(std::string_view key, bool value);
  Payload& set_list(std::string_view key, std::span<const std::string> values);
  Payload& set_list(std::string_view key, std::span<const Payload> values);

  std::string text() const;
  bool operator==(const Payload&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> members_;  // key -> JSON
};

}  // namespace ward::journal
