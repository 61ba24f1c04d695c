// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/question.h"

#include <gtest/gtest.h>

namespace ward::keeper {
namespace {

using State = AnswerLine::State;

State answer(std::string_view keys) {
  AnswerLine line("4f2k");
  std::string echo;
  return line.take(keys, echo);
}

TEST(Question, OnlyTheCodeIsYes) {
  EXPECT_EQ(answer("4f2k\r"), State::yes);
  EXPECT_EQ(answer("4f2x\b"
                   "k\n"),
            State::yes);
  for (const char* keys : {"\r", "y\r", "yes\r", "4f2\r", "4f2kk\r", "\x03", "4f2k\x04"})
    EXPECT_EQ(answer(keys), State::no) << keys;
  EXPECT_EQ(answer("4f2k"), State::open);
}

TEST(Question, KeysComeInParts) {
  AnswerLine line("4f2k");
  std::string echo;
  EXPECT_EQ(line.take("4f", echo), State::open);
  EXPECT_EQ(line.take("\x1b[A2k", echo), State::open);
  EXPECT_EQ(echo.substr(0, 2), "4f");
  EXPECT_EQ(line.take("\r", echo), State::no);
}

}  // namespace
}  // namespace ward::keeper
