// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/process_mark.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>

#include "sys/file.h"

namespace ward::journal {

namespace {

// Fields 3 (state) and 22 (start time) of proc(5)'s stat, counted behind the name, which may itself
// hold spaces and brackets.
constexpr int kFieldsToStart = 19;

struct ProcessStat {
  char state = '?';
  std::uint64_t start_ticks = 0;
};

std::optional<ProcessStat> parse_stat(std::string_view stat) {
  std::size_t offset = stat.rfind(") ");
  if (offset == std::string_view::npos || offset + 2 >= stat.size()) return std::nullopt;
  offset += 2;
  ProcessStat parsed = {.state = stat[offset]};
  for (int field = 0; field < kFieldsToStart; ++field) {
    offset = stat.find(' ', offset);
    if (offset == std::string_view::npos) return std::nullopt;
    ++offset;
  }
  auto number =
      std::from_chars(stat.data() + offset, stat.data() + stat.size(), parsed.start_ticks);
  if (number.ec != std::errc()) return std::nullopt;
  return parsed;
}

Result<std::string> boot_id() {
  WARD_ASSIGN(std::string text, sys::read_file("/proc/sys/kernel/random/boot_id", 64));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Result<std::uint64_t> own_pid_namespace() {
  WARD_ASSIGN(const struct stat status, sys::stat_at(AT_FDCWD, "/proc/self/ns/pid"));
  return std::uint64_t{status.st_ino};
}

}  // namespace

Result<ProcessMark> mark_of_self() {
  ProcessMark mark = {.pid = ::getpid()};
  WARD_ASSIGN(const std::string stat, sys::read_file("/proc/self/stat", 4096));
  const std::optional<ProcessStat> parsed = parse_stat(stat);
  if (!parsed) return fail(ErrorKind::io, "/proc/self/stat has an unknown form");
  mark.start_ticks = parsed->start_ticks;
  WARD_ASSIGN(mark.boot, boot_id());
  WARD_ASSIGN(mark.pid_namespace, own_pid_namespace());
  return mark;
}

Liveness liveness(const ProcessMark& mark) {
  const auto boot = boot_id();
  if (!boot || mark.boot.empty() || mark.pid <= 0) return Liveness::unknown;
  if (*boot != mark.boot) return Liveness::gone;
  const auto pid_namespace = own_pid_namespace();
  if (!pid_namespace || *pid_namespace != mark.pid_namespace) return Liveness::unknown;
  const auto stat = sys::read_file("/proc/" + std::to_string(mark.pid) + "/stat", 4096);
  if (!stat) {
    const int cause = stat.error().os_errno();
    return cause == ENOENT || cause == ESRCH ? Liveness::gone : Liveness::unknown;
  }
  const std::optional<ProcessStat> parsed = parse_stat(*stat);
  if (!parsed) return Liveness::unknown;
  const bool ended = parsed->state == 'Z' || parsed->state == 'X';
  return !ended && parsed->start_ticks == mark.start_ticks ? Liveness::running : Liveness::gone;
}

}  // namespace ward::journal
