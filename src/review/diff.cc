// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "review/diff.h"

#include <algorithm>
#include <dtl/dtl.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "sys/directory.h"

namespace ward::review {

namespace {

constexpr std::size_t kContext = 3;

// A line with its newline; the last one may have none.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    end = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

bool is_text(std::string_view text) {
  return text.substr(0, 8192).find('\0') == std::string_view::npos;
}

void append_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (line.empty() || line.back() != '\n') out += "\n\\ No newline at end of file\n";
}

// The library compares numbers: one for each different line.
class Numbers {
 public:
  std::vector<int> of(const std::vector<std::string_view>& lines) {
    std::vector<int> numbers;
    numbers.reserve(lines.size());
    for (std::string_view line : lines) {
      auto [entry, made] = known_.emplace(line, static_cast<int>(lines_.size()));
      if (made) lines_.push_back(line);
      numbers.push_back(entry->second);
    }
    return numbers;
  }
  std::string_view line(int number) const { return lines_[static_cast<std::size_t>(number)]; }

 private:
  std::unordered_map<std::string_view, int> known_;
  std::vector<std::string_view> lines_;
};

using LineDiff = dtl::Diff<int, std::vector<int>>;

std::string range(long long first, long long count) {
  std::string text = std::to_string(count == 0 ? first - 1 : first);
  return count == 1 ? text : text + "," + std::to_string(count);
}

// `skipped` lines, the same on both sides, stand before what was compared.
void append_hunks(FileDiff& out, LineDiff& diff, const Numbers& numbers, long long skipped) {
  diff.composeUnifiedHunks();
  for (const auto& hunk : diff.getUniHunks()) {
    out.hunks +=
        "@@ -" + range(hunk.a + skipped, hunk.b) + " +" + range(hunk.c + skipped, hunk.d) + " @@\n";
    for (const auto& [number, info] : hunk.common[0])
      append_line(out.hunks, ' ', numbers.line(number));
    for (const auto& [number, info] : hunk.change) {
      append_line(out.hunks,
                  info.type == dtl::SES_ADD      ? '+'
                  : info.type == dtl::SES_DELETE ? '-'
                                                 : ' ',
                  numbers.line(number));
      if (info.type == dtl::SES_ADD) ++out.added;
      if (info.type == dtl::SES_DELETE) ++out.removed;
    }
    for (const auto& [number, info] : hunk.common[1])
      append_line(out.hunks, ' ', numbers.line(number));
  }
}

std::string side_text(bool present, std::uint64_t size, const std::string& hash) {
  if (!present) return "nothing";
  std::string text = std::to_string(size) + " bytes";
  return hash.empty() ? text : text + " sha256 " + hash;
}

}  // namespace

Result<Differ::Side> Differ::read_side(int folder, const std::string& path, std::uint64_t size) {
  Side side;
  side.present = true;
  side.size = size;
  if (size > left_.hash_bytes || size > left_.read_bytes) return side;
  WARD_ASSIGN(UniqueFd file, open_beneath(folder, path, O_RDONLY | O_NONBLOCK));
  WARD_ASSIGN(side.text, sys::read_whole(file.get(), size));
  left_.read_bytes -= side.text.size();
  side.read = size <= left_.file_bytes && is_text(side.text);
  if (!side.read) side.hash = sha256_hex(side.text);
  return side;
}

FileDiff Differ::describe(const Side& before, const Side& after) const {
  FileDiff out;
  bool binary = !before.hash.empty() || !after.hash.empty();
  out.description = std::string(binary ? "binary or long, " : "too long to compare, ") +
                    side_text(before.present, before.size, before.hash) + " -> " +
                    side_text(after.present, after.size, after.hash);
  return out;
}

std::optional<FileDiff> diff_texts(std::string_view before, std::string_view after,
                                   DiffLimits& left) {
  std::vector<std::string_view> a = lines_of(before), b = lines_of(after);
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  std::size_t end = 0;
  while (end < a.size() - same && end < b.size() - same &&
         a[a.size() - 1 - end] == b[b.size() - 1 - end])
    ++end;
  const std::size_t skipped = same > kContext ? same - kContext : 0;
  const std::size_t kept_end = std::min(end, kContext);
  auto cut = [&](std::vector<std::string_view>& lines) {
    lines.resize(lines.size() - (end - kept_end));
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(skipped));
  };
  cut(a);
  cut(b);
  const std::uint64_t work = static_cast<std::uint64_t>(a.size()) * b.size();
  if (work > left.file_work || work > left.work || before.size() + after.size() > left.output_bytes)
    return std::nullopt;
  left.work -= work;
  Numbers numbers;
  std::vector<int> numbers_a = numbers.of(a), numbers_b = numbers.of(b);
  LineDiff diff(numbers_a, numbers_b);
  diff.compose();
  FileDiff out;
  append_hunks(out, diff, numbers, static_cast<long long>(skipped));
  left.output_bytes -= std::min<std::uint64_t>(left.output_bytes, out.hunks.size());
  return out;
}

FileDiff Differ::compare(const Side& before, const Side& after) {
  std::optional<FileDiff> out = diff_texts(before.text, after.text, left_);
  return out ? std::move(*out) : describe(before, after);
}

Result<FileDiff> Differ::diff(const Change& change) {
  auto fits = [](FileType type) { return type == FileType::file || type == FileType::none; };
  if (!fits(change.before) || !fits(change.after) || change.kind == Change::Kind::mode)
    return FileDiff{};
  WARD_ASSIGN(Sides sides, open_sides(held_, change.root));
  const bool single = change.path.empty();
  Side before, after;
  if (change.before == FileType::file) {
    WARD_ASSIGN(before, read_side(sides.host.get(), single ? sides.host_name : change.path,
                                  change.size_before));
  }
  if (change.after == FileType::file) {
    WARD_ASSIGN(after, read_side(sides.held.get(), single ? sides.held_name : change.path,
                                 change.size_after));
  }
  if ((before.present && !before.read) || (after.present && !after.read))
    return describe(before, after);
  return compare(before, after);
}

}  // namespace ward::review
