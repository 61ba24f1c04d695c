// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What of untrusted origin (a file name, an argument, a program's message) may be printed on a
// terminal only through here. A name can hold an escape sequence that repaints the line above, a
// newline that forges one, or a bidirectional override that shows `evil.sh` as a picture. Pure
// function; nothing is dropped, so two different texts never look alike by an invisible character.
#pragma once

#include <string>
#include <string_view>

namespace ward {

// On one line: visible characters as they are, backslash doubled, invalid bytes as \xNN, \n \r \t,
// every other control, format, invisible and separator character as \u{HEX}.
std::string escape_for_terminal(std::string_view text);

}  // namespace ward
