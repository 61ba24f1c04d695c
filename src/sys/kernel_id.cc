// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/kernel_id.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace ward::sys {

namespace {

// A decimal number that the text begins with, taken off it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace

std::optional<DescriptorInfo> parse_fdinfo(std::string_view text) {
  std::optional<std::uint64_t> mount, inode;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (take(line, "mnt_id:\t"))
      mount = take_number(line);
    else if (take(line, "ino:\t"))
      inode = take_number(line);
  }
  if (!mount || !inode) return std::nullopt;
  return DescriptorInfo{*mount, *inode};
}

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw"
std::optional<std::uint64_t> device_of_mount(std::string_view mountinfo, std::uint64_t mount) {
  while (!mountinfo.empty()) {
    std::string_view line = take_line(mountinfo);
    if (take_number(line) != mount || !take(line, " ")) continue;
    if (!take_number(line) || !take(line, " ")) continue;
    const std::optional<std::uint64_t> high = take_number(line);
    if (!high || !take(line, ":")) continue;
    const std::optional<std::uint64_t> low = take_number(line);
    if (low) return makedev(static_cast<unsigned>(*high), static_cast<unsigned>(*low));
  }
  return std::nullopt;
}

Result<ObjectId> kernel_id(int fd, pid_t tid) {
  WARD_ASSIGN(const std::string info, read_file("/proc/self/fdinfo/" + std::to_string(fd)));
  const std::optional<DescriptorInfo> parsed = parse_fdinfo(info);
  if (!parsed) return fail(ErrorKind::unsupported, "the kernel does not tell inodes in fdinfo");
  WARD_ASSIGN(const std::string mounts, read_file("/proc/" + std::to_string(tid) + "/mountinfo"));
  const std::optional<std::uint64_t> device = device_of_mount(mounts, parsed->mount);
  if (!device) return fail(ErrorKind::not_found, "the mount of an object");
  return ObjectId{*device, parsed->inode};
}

std::optional<std::uint64_t> birth_ns(int fd) {
  struct statx status = {};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0 ||
      (status.stx_mask & STATX_BTIME) == 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000U +
         status.stx_btime.tv_nsec;
}

}  // namespace ward::sys
