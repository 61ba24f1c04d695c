// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/head_note.h"

#include <unistd.h>

#include <charconv>
#include <optional>

#include "sys/datagram.h"

namespace ward::journal {

namespace {

constexpr std::string_view kMark = "ward-head ";
// Facility authpriv (10), severity info (6): RFC 5424, 6.2.1.
constexpr int kPriority = 10 * 8 + 6;
constexpr std::string_view kHexDigits = "0123456789abcdef";

// Percent-encoded, so that a line stays one line and its fields stay apart.
std::string encode(std::string_view text) {
  std::string out;
  for (char character : text) {
    if (character > ' ' && character < 0x7f && character != '%') {
      out += character;
      continue;
    }
    const auto byte = static_cast<unsigned char>(character);
    out += '%';
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 15U];
  }
  return out;
}

// The value of "key=" up to the next space.
std::optional<std::string_view> field(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    if (at == 0 || line[at - 1] != ' ') continue;
    std::string_view value = line.substr(at + key.size());
    return value.substr(0, value.find_first_of(" \r\n"));
  }
  return std::nullopt;
}

template <class Number>
std::optional<Number> number(std::optional<std::string_view> text) {
  Number value = 0;
  if (!text) return std::nullopt;
  auto parsed = std::from_chars(text->data(), text->data() + text->size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text->data() + text->size()) return std::nullopt;
  return value;
}

std::optional<NotedHead> parse_line(std::string_view line, std::string_view path,
                                    std::uint32_t uid) {
  const std::size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  line = line.substr(mark);
  const auto chain = field(line, "chain=");
  const auto seq = number<std::int64_t>(field(line, "seq="));
  const auto hash = field(line, "hash=");
  if (!chain || chain->empty() || !seq || *seq < 1 || !hash) return std::nullopt;
  if (number<std::uint32_t>(field(line, "uid=")) != uid || field(line, "path=") != path)
    return std::nullopt;
  const auto parsed = parse_hash(*hash);
  if (!parsed) return std::nullopt;
  return NotedHead{.head = {*seq, *parsed}, .chain = std::string(*chain), .where = {}};
}

}  // namespace

std::string to_line(const HeadNote& note) {
  return std::string(kMark) + "chain=" + note.chain + " seq=" + std::to_string(note.head.seq) +
         " hash=" + to_hex(note.head.hash) + " uid=" + std::to_string(note.uid) +
         " path=" + encode(note.path);
}

Status send_to_syslog(const HeadNote& note, const std::string& socket_path) {
  const std::string datagram = "<" + std::to_string(kPriority) + ">ward[" +
                               std::to_string(::getpid()) + "]: " + to_line(note);
  return sys::send_datagram(socket_path, datagram);
}

std::vector<NotedHead> notes_in_log(std::string_view log, const LogSource& source) {
  const std::string path = encode(source.database_path);
  std::vector<NotedHead> notes;
  for (std::size_t line_number = 1; !log.empty(); ++line_number) {
    const std::size_t end = log.find('\n');
    if (auto note = parse_line(log.substr(0, end), path, source.uid)) {
      note->where = source.name + " line " + std::to_string(line_number);
      notes.push_back(*std::move(note));
    }
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
  }
  return notes;
}

}  // namespace ward::journal
