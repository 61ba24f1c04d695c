// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The spellings in which one text travels through HTTP: as it is, percent-encoded, inside a JSON
// string, as hexadecimal, and as part of a base64 text at any of the three offsets. Pure; strict
// where it decodes. Sources: RFC 3986 (2.1), RFC 4648 (4, 5, 8), RFC 8259 (7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ward::egress {

std::string base64_encode(std::string_view bytes);
// With or without padding, in the ordinary or the URL alphabet; nothing where it is neither.
std::optional<std::string> base64_decode(std::string_view text);

// Every %XX decoded once; what is no such sequence stays. For searching, never for forwarding.
std::string percent_decode(std::string_view text);

// Each different spelling of `text` that has at least `min_size` bytes, the text itself first.
std::vector<std::string> spellings(std::string_view text, std::size_t min_size);

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace ward::egress
