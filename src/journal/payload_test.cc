// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/payload.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ward::journal {
namespace {

using std::string_literals::operator""s;

TEST(Payload, IsTheSameTextInWhateverOrderItWasMade) {
  Payload one;
  one.set("b", "2").set_number("a", 1).set_flag("c", true);
  Payload other;
  other.set_flag("c", true).set_number("a", 1).set("b", "2");
  EXPECT_EQ(one.text(), R"({"a":1,"b":"2","c":true})");
  EXPECT_EQ(one.text(), other.text());
}

TEST(Payload, EscapesInOneWayOnly) {
  Payload payload;
  payload.set("k", "\"\\\b\t\n\f\r\x01\x1f/\x7f é"s);
  EXPECT_EQ(payload.text(), "{\"k\":\"\\\"\\\\\\b\\t\\n\\f\\r\\u0001\\u001f/\x7f é\"}");
}

TEST(Payload, KeepsBytesThatAreNoText) {
  Payload payload;
  payload.set("name", "a\xff\0b"s);
  EXPECT_EQ(payload.text(), R"({"name":{"$bytes":"61ff0062"}})");
}

TEST(Payload, HoldsListsAndObjects) {
  Payload inner;
  inner.set_number("n", -9223372036854775807LL - 1);
  const std::vector<std::string> words = {"git", "status", ""};
  Payload payload;
  payload.set_list("words", words).set("inner", inner).set_list("all", std::vector{inner, inner});
  EXPECT_EQ(payload.text(), R"({"all":[{"n":-9223372036854775808},{"n":-9223372036854775808}],)"
                            R"("inner":{"n":-9223372036854775808},"words":["git","status",""]})");
}

TEST(Payload, IsReadBackByAJsonLibraryAsItWas) {
  Payload payload;
  for (int code = 1; code < 128; ++code)
    payload.set("c" + std::to_string(code), std::string(1, static_cast<char>(code)));
  const auto parsed = nlohmann::json::parse(payload.text());
  for (int code = 1; code < 128; ++code)
    EXPECT_EQ(parsed["c" + std::to_string(code)], std::string(1, static_cast<char>(code)));
  EXPECT_EQ(Payload().text(), "{}");
}

}  // namespace
}  // namespace ward::journal
