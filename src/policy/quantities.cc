// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/quantities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace ward::policy {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr milliseconds kMaxDuration = std::chrono::hours(24 * 3650);

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};
// From the largest down, so that printing finds the shortest form first.
constexpr std::array<Unit, 9> kSizeUnits = {{{"TiB", 1ULL << 40U},
                                             {"TB", 1'000'000'000'000ULL},
                                             {"GiB", 1ULL << 30U},
                                             {"GB", 1'000'000'000ULL},
                                             {"MiB", 1ULL << 20U},
                                             {"MB", 1'000'000ULL},
                                             {"KiB", 1ULL << 10U},
                                             {"KB", 1'000ULL},
                                             {"B", 1ULL}}};
constexpr std::array<Unit, 5> kTimeUnits = {
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

tl::unexpected<Error> bad(std::string message, std::string remedy) {
  return fail(Error(ErrorKind::invalid, std::move(message)).with_remedy(std::move(remedy)));
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// The digits at the front of `text`, which are removed from it.
std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool to_number(std::string_view digits, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() && value <= kMax;
}

bool is_name_char(char c, bool first) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         (!first && c >= '0' && c <= '9');
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  constexpr const char* kRemedy = "write it as 512MiB or 2GiB";
  std::string_view rest = text;
  const std::string_view digits = take_digits(rest);
  if (digits.empty()) return bad(quoted(text) + " is not a size", kRemedy);
  std::uint64_t value = 0, factor = 1;
  if (!rest.empty()) {
    const auto* const unit = std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                                          [&](const Unit& u) { return u.name == rest; });
    if (unit == kSizeUnits.end())
      return bad(quoted(rest) + " is not a unit of size",
                 "the units are B, KiB, MiB, GiB, TiB, KB, MB, GB and TB");
    factor = unit->factor;
  }
  if (!to_number(digits, value) || value > kMax / factor)
    return bad(quoted(text) + " is larger than any size", kRemedy);
  if (value == 0) return bad("a size of 0 allows nothing at all", kRemedy);
  return value * factor;
}

Result<milliseconds> parse_duration(std::string_view text) {
  constexpr const char* kRemedy = "write it as 500ms, 30s, 10m, 1h30m or 30d";
  std::uint64_t total = 0;
  std::string_view rest = text;
  std::size_t next_unit = 0;  // units fall: 1h30m, never 30m1h
  if (rest.empty()) return bad("'' is not a duration", kRemedy);
  while (!rest.empty()) {
    const std::string_view digits = take_digits(rest);
    if (digits.empty()) return bad(quoted(text) + " is not a duration", kRemedy);
    std::size_t length = 0;
    while (length < rest.size() && (rest[length] < '0' || rest[length] > '9')) ++length;
    const std::string_view name = rest.substr(0, length);
    rest.remove_prefix(length);
    if (name.empty()) return bad(quoted(text) + " has no unit of time", kRemedy);
    std::size_t unit = next_unit;
    while (unit < kTimeUnits.size() && kTimeUnits[unit].name != name) ++unit;
    if (unit == kTimeUnits.size()) return bad(quoted(text) + " is not a duration", kRemedy);
    next_unit = unit + 1;
    std::uint64_t value = 0;
    if (!to_number(digits, value) ||
        value > static_cast<std::uint64_t>(kMaxDuration.count()) / kTimeUnits[unit].factor)
      return bad(quoted(text) + " is longer than ten years", kRemedy);
    total += value * kTimeUnits[unit].factor;
  }
  if (total == 0) return bad("a duration of 0 allows nothing at all", kRemedy);
  if (total > static_cast<std::uint64_t>(kMaxDuration.count()))
    return bad(quoted(text) + " is longer than ten years", kRemedy);
  return milliseconds(total);
}

Result<std::uint64_t> parse_bandwidth(std::string_view text) {
  if (!text.ends_with("/s"))
    return bad(quoted(text) + " is not a bandwidth", "write it as 100MiB/s");
  return parse_size(text.substr(0, text.size() - 2));
}

Result<std::uint64_t> parse_rate(std::string_view text) {
  std::uint64_t value = 0;
  if (!text.ends_with("/s") || !to_number(text.substr(0, text.size() - 2), value) || value == 0)
    return bad(quoted(text) + " is not a number of operations a second", "write it as 5000/s");
  return value;
}

Result<double> parse_cores(std::string_view text) {
  constexpr const char* kRemedy = "write it as 2 or 0.5";
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size())
    return bad(quoted(text) + " is not a number of processors", kRemedy);
  if (!(value >= 0.01 && value <= 1024))
    return bad("a number of processors is from 0.01 to 1024", kRemedy);
  return value;
}

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t value = 0;
  if (!to_number(text, value) || value < min || value > max)
    return bad(quoted(text) + " is not a whole number from " + std::to_string(min) + " to " +
                   std::to_string(max),
               "write such a number");
  return value;
}

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint64_t value = 0;
  if (!to_number(text, value) || value < 1 || value > 65535)
    return bad(quoted(text) + " is not a port", "a port is a number from 1 to 65535");
  return static_cast<std::uint16_t>(value);
}

std::string print_duration(milliseconds duration) {
  auto left = static_cast<std::uint64_t>(duration.count());
  std::string text;
  for (const Unit& unit : kTimeUnits) {
    if (left < unit.factor) continue;
    text += std::to_string(left / unit.factor) + std::string(unit.name);
    left %= unit.factor;
  }
  return text.empty() ? "0ms" : text;
}

std::string print_size(std::uint64_t bytes) {
  for (const Unit& unit : kSizeUnits)
    if (bytes >= unit.factor && bytes % unit.factor == 0)
      return std::to_string(bytes / unit.factor) + std::string(unit.name);
  return "0B";
}

Status check_variable_name(std::string_view name) {
  bool good = !name.empty() && is_name_char(name[0], true);
  for (const char c : name) good = good && is_name_char(c, false);
  if (!good)
    return bad(quoted(name) + " is not the name of an environment variable",
               "letters, digits and _ only, as in API_TOKEN");
  return {};
}

Status check_secret_source(std::string_view text) {
  if (text.starts_with("env:")) return check_variable_name(text.substr(4));
  const std::string_view path = text.starts_with("file:") ? text.substr(5) : std::string_view();
  if (path.starts_with('/') || path.starts_with("~/")) return {};
  return bad(quoted(text) + " is not a place where a secret comes from",
             "write env:NAME or file:/path or file:~/path");
}

}  // namespace ward::policy
