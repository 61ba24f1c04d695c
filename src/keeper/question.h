// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Question: something that a person at the terminal is asked while a sandboxed program has the
// screen. The program can paint what it likes there, so a plain "y" could be meant for it; the
// answer is a code that only the person's own terminal was shown, and the program never sees. A
// value; one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ward::keeper {

struct Question {
  std::string text;  // one line, escaped by whoever asks
  std::string code;  // to be typed for yes
  std::function<void(bool yes)> answered;
};

// Reads the keys of one answer.
class AnswerLine {
 public:
  explicit AnswerLine(std::string code) : code_(std::move(code)) {}

  enum class State : unsigned char { open, yes, no };
  // `echo` gets what is to be shown of the keys. What follows an answer is dropped.
  State take(std::string_view keys, std::string& echo);

 private:
  std::string code_, typed_;
};

}  // namespace ward::keeper
