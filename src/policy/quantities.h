// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Quantities: sizes, durations, rates and names as a policy writes them, read strictly. Each
// function takes the text and returns the value, or says what is wrong and what a right one looks
// like. Pure; also used for the flags of the command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ward::policy {

// "2GiB", "100MB", "4096" (bytes). Never 0.
Result<std::uint64_t> parse_size(std::string_view text);
// "10m", "1h30m", "500ms". Never 0, at most ten years.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// "100MiB/s": a size a second.
Result<std::uint64_t> parse_bandwidth(std::string_view text);
// "5000/s": a count a second.
Result<std::uint64_t> parse_rate(std::string_view text);
// "1.5": processors, from 0.01 to 1024.
Result<double> parse_cores(std::string_view text);
// A decimal whole number without sign.
Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t min, std::uint64_t max);
Result<std::uint16_t> parse_port(std::string_view text);

// How a duration and a size print, in the language itself.
std::string print_duration(std::chrono::milliseconds duration);
std::string print_size(std::uint64_t bytes);

Status check_variable_name(std::string_view name);
// "env:NAME" or "file:PATH".
Status check_secret_source(std::string_view text);

}  // namespace ward::policy
