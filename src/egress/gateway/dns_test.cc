// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/dns.h"

#include <gtest/gtest.h>

namespace ward::egress {
namespace {

using std::string_literals::operator""s;

// A question of id 0x1234, recursion desired.
std::string query(const std::string& labels, char type, char cls = 1) {
  return "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"s + labels + "\0\0"s + type + "\0"s +
         cls;
}
const std::string kExample =
    "\x07"
    "Example\x03"
    "org";

TEST(Dns, ReadsAQuestion) {
  auto question = read_question(query(kExample, 1));
  ASSERT_TRUE(question);
  EXPECT_EQ(question->code, DnsCode::no_error);
  EXPECT_EQ(question->name, "example.org");
  EXPECT_EQ(question->type, DnsQuestion::Type::a);
  EXPECT_EQ(read_question(query(kExample, 28))->type, DnsQuestion::Type::aaaa);
  EXPECT_EQ(read_question(query(kExample, 65))->type, DnsQuestion::Type::other);
}

TEST(Dns, AnswersWithTheQuestionAndItsAddresses) {
  const std::string packet = query(kExample, 1);
  const std::string answer =
      write_answer(packet, DnsCode::no_error, {*parse_address("198.18.1.0")});
  EXPECT_EQ(answer.substr(0, 12), "\x12\x34\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"s);
  EXPECT_NE(answer.find(packet.substr(12)), std::string::npos);
  EXPECT_EQ(answer.substr(answer.size() - 14),
            "\x00\x01\x00\x01\x00\x00\x00\x1e\x00\x04\xc6\x12\x01\x00"s);
  const std::string v6 =
      write_answer(query(kExample, 28), DnsCode::no_error, {*parse_address("fd57:6172:64::1:0")});
  EXPECT_EQ(v6.substr(v6.size() - 18, 2), "\x00\x10"s);
}

TEST(Dns, ARefusalHasItsCode) {
  const std::string answer = write_answer(query(kExample, 1), DnsCode::name_error, {});
  EXPECT_EQ(answer.substr(2, 2), "\x81\x83"s);
}

TEST(Dns, AnswersAndNoiseGetNoAnswer) {
  EXPECT_FALSE(read_question(""));
  EXPECT_FALSE(read_question("\x12\x34\x01"s));
  std::string answer = query(kExample, 1);
  answer[2] = '\x81';
  EXPECT_FALSE(read_question(answer));
}

TEST(Dns, DamagedQuestionsAreAnsweredWithAnError) {
  const std::string whole = query(kExample, 1);
  for (std::size_t size = 12; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    auto question = read_question(cut);
    ASSERT_TRUE(question);
    EXPECT_EQ(question->code, DnsCode::format_error) << size;
    EXPECT_EQ(write_answer(cut, question->code, {}).substr(0, 2), "\x12\x34"s);
  }
  std::string two = whole;
  two[5] = 2;
  EXPECT_EQ(read_question(two)->code, DnsCode::format_error);
  std::string loop = query("\xc0\x0c"s, 1);
  EXPECT_EQ(read_question(loop)->code, DnsCode::format_error);
}

TEST(Dns, OtherOpcodesAndClassesAreRefused) {
  std::string update = query(kExample, 1);
  update[2] = '\x28';
  EXPECT_EQ(read_question(update)->code, DnsCode::not_implemented);
  EXPECT_EQ(read_question(query(kExample, 16, 3))->code, DnsCode::refused);
}

TEST(Dns, WhatIsNoHostNameHasNoName) {
  EXPECT_EQ(read_question(query("\x03"
                                "a b\x03"
                                "org",
                                1))
                ->name,
            "");
  EXPECT_EQ(read_question(query("\x02"
                                "10\x01"
                                "0\x01"
                                "0\x01"
                                "1",
                                1))
                ->name,
            "");
  EXPECT_EQ(read_question(query("", 1))->name, "");
}

}  // namespace
}  // namespace ward::egress
