// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/escape.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace ward {
namespace {

using std::string_literals::operator""s;

TEST(EscapeForTerminal, LeavesVisibleTextAlone) {
  EXPECT_EQ(escape_for_terminal("src/main.cc"), "src/main.cc");
  EXPECT_EQ(escape_for_terminal("Grüße 世界 🦊"), "Grüße 世界 🦊");
  EXPECT_EQ(escape_for_terminal(""), "");
}

TEST(EscapeForTerminal, ShowsAnsiSequences) {
  EXPECT_EQ(escape_for_terminal("\x1b[2Jgone"), "\\u{1b}[2Jgone");
  EXPECT_EQ(escape_for_terminal("\xc2\x9b"
                                "2J"),
            "\\u{9b}2J");
  EXPECT_EQ(escape_for_terminal("\x9b"
                                "2J"),
            "\\x9b2J");
}

TEST(EscapeForTerminal, KeepsOneTextOnOneLine) {
  EXPECT_EQ(escape_for_terminal("a\nb\rc\td\0e"s), "a\\nb\\rc\\td\\u{0}e");
  EXPECT_EQ(escape_for_terminal("a\xe2\x80\xa8"
                                "b"),
            "a\\u{2028}b");
}

TEST(EscapeForTerminal, ShowsBidiOverridesAndInvisibleCharacters) {
  EXPECT_EQ(escape_for_terminal("\xe2\x80\xaegnp.exe"), "\\u{202e}gnp.exe");
  EXPECT_EQ(escape_for_terminal("\xe2\x81\xa6x"), "\\u{2066}x");
  EXPECT_EQ(escape_for_terminal("a\xe2\x80\x8b"
                                "b"),
            "a\\u{200b}b");
  EXPECT_EQ(escape_for_terminal("\xf3\xa0\x81\x81"), "\\u{e0041}");
}

TEST(EscapeForTerminal, ShowsInvalidUtf8ByteByByte) {
  EXPECT_EQ(escape_for_terminal("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(escape_for_terminal("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(escape_for_terminal("\xc0\xaf"), "\\xc0\\xaf");           // overlong '/'
  EXPECT_EQ(escape_for_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(EscapeForTerminal, IsUnambiguous) {
  EXPECT_EQ(escape_for_terminal("\\n"), "\\\\n");
  EXPECT_NE(escape_for_terminal("\\u{1b}"), escape_for_terminal("\x1b"));
}

TEST(Utf8, AcceptsTheEdgesAndRefusesWhatLiesBeyond) {
  EXPECT_TRUE(is_utf8("\x7f \xc2\x80 \xef\xbf\xbf \xf4\x8f\xbf\xbf"));
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));
  EXPECT_FALSE(is_utf8("\x80"));
  EXPECT_FALSE(is_utf8("\xe0\x80\x80"));
  EXPECT_FALSE(is_utf8("\xf8\x88\x80\x80\x80"));
}

}  // namespace
}  // namespace ward
