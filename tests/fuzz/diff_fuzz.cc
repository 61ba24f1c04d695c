// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The two sides of a file whose change is to be reviewed, separated by a NUL: the hunks that are
// shown, applied to the one side, give the other. A hunk that hides a line would be landed unseen.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "review/diff.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  require(end != std::string_view::npos);
  const std::string_view line = text.substr(0, end + 1);
  text.remove_prefix(end + 1);
  return line;
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  require(std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc());
  return value;
}

std::size_t lines_in(std::string_view text) {
  std::size_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1U : 0U;
  return lines + (!text.empty() && text.back() != '\n' ? 1U : 0U);
}

// "@@ -FIRST[,COUNT] +...": how many lines of the old side stand before the hunk.
std::size_t lines_before(std::string_view head) {
  require(head.starts_with("@@ -"));
  const std::string_view range = head.substr(4, head.find(' ', 4) - 4);
  const std::size_t first = number(range);
  const std::size_t comma = range.find(',');
  const bool empty = comma != std::string_view::npos && number(range.substr(comma + 1)) == 0;
  return empty ? first : first - 1;
}

class Applied {
 public:
  explicit Applied(std::string_view before) : rest_(before) {}

  void hunk(std::string_view& hunks) {
    const std::size_t before = lines_before(take_line(hunks));
    while (taken_ < before) after_ += old_line();
    while (!hunks.empty() && hunks.front() != '@') {
      std::string_view line = take_line(hunks);
      const char mark = line.front();
      line.remove_prefix(1);
      constexpr std::string_view kNoNewline = "\\ No newline at end of file\n";
      if (hunks.starts_with(kNoNewline)) {
        hunks.remove_prefix(kNoNewline.size());
        line.remove_suffix(1);
      }
      require(mark == '+' || mark == '-' || mark == ' ');
      if (mark != '+') require(old_line() == line);
      if (mark != '-') after_ += line;
    }
  }
  std::string finish() { return after_ += rest_; }

 private:
  std::string_view old_line() {
    require(!rest_.empty());
    ++taken_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line =
        rest_.substr(0, end == std::string_view::npos ? rest_.size() : end + 1);
    rest_.remove_prefix(line.size());
    return line;
  }

  std::string_view rest_;
  std::size_t taken_ = 0;
  std::string after_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t separator = bytes.find('\0');
  if (separator == std::string_view::npos) return 0;
  const std::string_view before = bytes.substr(0, separator), after = bytes.substr(separator + 1);
  ward::review::DiffLimits limits;
  limits.file_work = 1'000'000;
  const auto diff = ward::review::diff_texts(before, after, limits);
  if (!diff) return 0;
  require(diff->added <= lines_in(after) && diff->removed <= lines_in(before));
  Applied applied(before);
  for (std::string_view hunks = diff->hunks; !hunks.empty();) applied.hunk(hunks);
  require(applied.finish() == after);
  return 0;
}
