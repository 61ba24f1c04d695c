// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/raw_arguments.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "sys/raw.h"

namespace ward::sys::raw {

namespace {

// Of proc(5)'s stat, counted behind the name, which may itself hold spaces and brackets.
constexpr int kFieldsToArguments = 46;  // arg_start is the 48th, the name the 2nd

std::string_view after_fields(std::string_view text, int fields) {
  for (; fields > 0 && !text.empty(); --fields)
    text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  return text;
}

// The number that the text begins with; 0 for none.
std::uintptr_t number(std::string_view text) {
  std::uintptr_t value = 0;
  const char* begin = text.data();
  std::from_chars(begin, begin + text.size(), value);
  return value;
}

}  // namespace

long replace_own_arguments(std::string_view title) {
  long fd = openat(AT_FDCWD, "/proc/self/stat", O_RDONLY);
  if (fd < 0) return fd;
  char buffer[2048];
  const ssize_t size = ::read(static_cast<int>(fd), buffer, sizeof buffer);
  close(static_cast<int>(fd));
  if (size <= 0) return -EIO;
  std::string_view text(buffer, static_cast<std::size_t>(size));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return -EIO;
  text = after_fields(text.substr(name_end), kFieldsToArguments);
  const std::uintptr_t begin = number(text), end = number(after_fields(text, 1));
  if (begin == 0 || end <= begin) return -EIO;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells it as a number
  char* words = reinterpret_cast<char*>(begin);
  const std::size_t room = end - begin;
  std::memset(words, 0, room);
  // The last byte stays NUL: without it the kernel goes on into the environment.
  std::memcpy(words, title.data(), std::min(title.size(), room - 1));
  return 0;
}

}  // namespace ward::sys::raw
