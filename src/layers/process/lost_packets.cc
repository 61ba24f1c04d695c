// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/lost_packets.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <string>

#include "sys/file.h"

namespace ward::process {

namespace {

constexpr std::size_t kMostBytes = 16384;

UniqueFd open_counters(pid_t init, const char* file) {
  Result<UniqueFd> fd = sys::open_path("/proc/" + std::to_string(init) + "/net/" + file, O_RDONLY);
  return fd ? std::move(*fd) : UniqueFd();
}

std::string text_of(const UniqueFd& fd) {
  if (!fd.valid()) return "";
  std::string text(kMostBytes, '\0');
  const ssize_t size = ::pread(fd.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", start), line.size());
  const std::string_view word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

std::uint64_t number_in(std::string_view word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

// snmp6 has a name and a value a line.
std::uint64_t counter_of_line(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (next_word(line) == name) return number_in(next_word(line));
  }
  return 0;
}

}  // namespace

std::uint64_t snmp_counter(std::string_view text, std::string_view table, std::string_view name) {
  std::string_view names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (next_word(line) != table) continue;
    if (names.empty()) {
      names = line;
      continue;
    }
    while (!names.empty()) {
      const std::string_view value = next_word(line);
      if (next_word(names) == name) return number_in(value);
    }
    return 0;
  }
  return 0;
}

LostPackets LostPackets::of(pid_t init) {
  LostPackets packets;
  packets.v4_ = open_counters(init, "snmp");
  packets.v6_ = open_counters(init, "snmp6");
  packets.taken_ = packets.total();
  return packets;
}

std::uint64_t LostPackets::total() const {
  return snmp_counter(text_of(v4_), "Ip:", "OutNoRoutes") +
         counter_of_line(text_of(v6_), "Ip6OutNoRoutes");
}

std::uint64_t LostPackets::take() {
  const std::uint64_t now = total(), fresh = now > taken_ ? now - taken_ : 0;
  taken_ = now;
  return fresh;
}

}  // namespace ward::process
