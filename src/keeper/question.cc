// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/question.h"

namespace ward::keeper {

AnswerLine::State AnswerLine::take(std::string_view keys, std::string& echo) {
  constexpr char kInterrupt = 3, kEndOfFile = 4, kBackspace = 8, kDelete = 127;
  for (const char key : keys) {
    if (key == kInterrupt || key == kEndOfFile) return State::no;
    if (key == '\r' || key == '\n') return typed_ == code_ ? State::yes : State::no;
    if (key == kBackspace || key == kDelete) {
      if (typed_.empty()) continue;
      typed_.pop_back();
      echo += "\b \b";
    } else if (key > ' ' && key < kDelete && typed_.size() < 2 * code_.size()) {
      typed_ += key;
      echo += key;
    }
  }
  return State::open;
}

}  // namespace ward::keeper
