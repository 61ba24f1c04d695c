// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The path of a request's target, as the servers behind it may read it. One path has several
// readings: some servers decode %2F before they look for slashes, drop `;parameters`, or take `//`
// for `/`. A rule that permits must permit every reading, and a gate holds if any one of them is
// named, so nobody slips past by a spelling. What would mean another folder (`..`, in any
// spelling) is refused, since no client sends it unless asked to. Pure. Source: RFC 3986 (3.3, 6).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ward::egress {

// The readings of the path of `target` ("/a/b?query"): unreserved characters decoded, as it stands
// first. Refuses (invalid) what is not in origin form, holds `.` or `..` segments, a backslash, a
// control character, a `#` or a broken escape.
Result<std::vector<std::string>> path_readings(std::string_view target);

enum class Letters : std::uint8_t { exact, any_case };
// `*` stands for characters of one segment, `**` for any, `/**/` also for a single slash. All other
// characters of the pattern are ordinary.
bool url_path_matches(std::string_view pattern, std::string_view path,
                      Letters letters = Letters::exact);

}  // namespace ward::egress
