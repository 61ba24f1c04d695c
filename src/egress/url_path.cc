// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/url_path.h"

#include <algorithm>

namespace ward::egress {

namespace {

tl::unexpected<Error> bad(std::string message) {
  return fail(Error(ErrorKind::invalid, std::move(message))
                  .with_remedy("send the path in its plain form, as /a/b"));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// Escapes of unreserved characters decoded, the others with capital digits.
Result<std::string> normal_escapes(std::string_view path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto byte = static_cast<unsigned char>(path[i]);
    if (byte <= 0x20U || byte >= 0x7fU || byte == '\\' || byte == '#')
      return bad("the path holds a character that no path may hold");
    if (byte != '%') {
      result += path[i];
      continue;
    }
    const int high = i + 2 < path.size() ? hex_digit(path[i + 1]) : -1;
    const int low = i + 2 < path.size() ? hex_digit(path[i + 2]) : -1;
    if (high < 0 || low < 0) return bad("the path holds a broken %XX");
    const int value = high * 16 + low;
    // A server that decodes twice would see another path than the one that was judged.
    const bool again = value == '%' && i + 4 < path.size() && hex_digit(path[i + 3]) >= 0 &&
                       hex_digit(path[i + 4]) >= 0;
    if (again) return bad("the path is encoded twice");
    if (value < 0x20 || value == 0x7f || value == '\\')
      return bad("the path holds an encoded control character or backslash");
    // Some decoders take these for a "." or "/" of two bytes; UTF-8 has no such.
    if (value == 0xc0 || value == 0xc1) return bad("the path holds what is no UTF-8");
    if (is_unreserved(value)) {
      result += static_cast<char>(value);
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      result += '%';
      result += kDigits[static_cast<std::size_t>(high)];
      result += kDigits[static_cast<std::size_t>(low)];
    }
    i += 2;
  }
  return result;
}

std::string slashes_decoded(const std::string& path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.compare(i, 3, "%2F") == 0) {
      result += '/';
      i += 2;
    } else if (path.compare(i, 3, "%3B") == 0) {
      result += ';';
      i += 2;
    } else {
      result += path[i];
    }
  }
  return result;
}

std::string without_parameters(const std::string& path) {
  std::string result;
  bool inside = false;
  for (const char c : path) {
    if (c == '/') inside = false;
    if (c == ';') inside = true;
    if (!inside) result += c;
  }
  return result;
}

std::string slashes_merged(const std::string& path) {
  std::string result;
  for (const char c : path)
    if (c != '/' || !result.ends_with('/')) result += c;
  return result;
}

bool has_dot_segment(std::string_view path) {
  for (std::size_t start = 1; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view segment = path.substr(start, end - start);
    if (segment == "." || segment == "..") return true;
    start = end + 1;
  }
  return false;
}

char folded(char c, Letters letters) {
  return letters == Letters::any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a')
                                                              : c;
}

}  // namespace

Result<std::vector<std::string>> path_readings(std::string_view target) {
  if (!target.starts_with('/')) return bad("the target is not a path");
  if (target.find('#') != std::string_view::npos) return bad("the target holds a fragment");
  WARD_ASSIGN(std::string exact, normal_escapes(target.substr(0, target.find('?'))));
  std::vector<std::string> readings = {std::move(exact)};
  using Step = std::string (*)(const std::string&);
  for (const Step step : {&slashes_decoded, &without_parameters, &slashes_merged}) {
    const std::size_t before = readings.size();
    for (std::size_t i = 0; i < before; ++i) readings.push_back(step(readings[i]));
  }
  // The first stays in front: it is what was sent.
  std::sort(readings.begin() + 1, readings.end());
  readings.erase(std::unique(readings.begin() + 1, readings.end()), readings.end());
  readings.erase(std::remove(readings.begin() + 1, readings.end(), readings.front()),
                 readings.end());
  if (std::any_of(readings.begin(), readings.end(), has_dot_segment))
    return bad("the path holds . or .. segments");
  return readings;
}

// The places of the pattern that may have been reached are kept as a set, so that no pattern costs
// more than its length times the path's.
bool url_path_matches(std::string_view pattern, std::string_view path, Letters letters) {
  std::vector<char> reached(pattern.size() + 1, 0), next(pattern.size() + 1, 0);
  const auto is_deep = [&](std::size_t at) { return pattern.substr(at, 2) == "**"; };
  // A star may stand for nothing, and "/**/" for one slash.
  const auto spread = [&](std::vector<char>& places) {
    for (std::size_t at = 0; at < pattern.size(); ++at) {
      if (places[at] == 0 || pattern[at] != '*') continue;
      const std::size_t behind = at + (is_deep(at) ? 2 : 1);
      places[behind] = 1;
      const bool whole = is_deep(at) && at > 0 && pattern[at - 1] == '/';
      if (whole && behind < pattern.size() && pattern[behind] == '/') places[behind + 1] = 1;
    }
  };
  reached[0] = 1;
  spread(reached);
  for (const char c : path) {
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t at = 0; at < pattern.size(); ++at) {
      if (reached[at] == 0) continue;
      if (pattern[at] == '*') {
        if (c != '/' || is_deep(at)) next[at] = 1;
      } else if (folded(pattern[at], letters) == folded(c, letters)) {
        next[at + 1] = 1;
      }
    }
    spread(next);
    reached.swap(next);
  }
  return reached[pattern.size()] != 0;
}

}  // namespace ward::egress
