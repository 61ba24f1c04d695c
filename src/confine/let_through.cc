// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/let_through.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/unique_fd.h"

namespace ward::confine {

namespace {

// The kernel splits a thread's time by samples, so that one tick may be its error.
constexpr unsigned long kSureTicks = 3;

// The errno where it cannot be read.
int read_of(pid_t thread, const char* name, std::array<char, 512>& text) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", thread, name);
  UniqueFd fd(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return errno;
  ssize_t size = ::read(fd.get(), text.data(), text.size() - 1);
  if (size < 0) return errno;
  text.at(static_cast<std::size_t>(size)) = '\0';
  return 0;
}

std::optional<unsigned long> user_ticks_of(pid_t thread) {
  std::array<char, 512> text;
  if (read_of(thread, "stat", text) != 0) return std::nullopt;
  // The name of the program may hold anything, closing brackets too.
  const char* at = std::strrchr(text.data(), ')');
  if (at == nullptr) return std::nullopt;
  constexpr int kFieldsBefore = 12;  // from the bracket to utime
  for (int field = 0; field < kFieldsBefore; ++field) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return std::nullopt;
    ++at;
  }
  return std::strtoul(at, nullptr, 10);
}

}  // namespace

bool LetThrough::is_over(pid_t thread, Call& call) {
  std::array<char, 512> text;
  int error = read_of(thread, "syscall", text);
  if (error == ENOENT || error == ESRCH) return true;
  if (error != 0) return false;
  if (std::strncmp(text.data(), "running", 7) != 0)
    return std::strtol(text.data(), nullptr, 10) != call.number;
  std::optional<unsigned long> ticks = user_ticks_of(thread);
  if (!ticks) return false;
  if (!call.user_ticks) {
    call.user_ticks = ticks;
    return false;
  }
  return *ticks >= *call.user_ticks + kSureTicks;
}

void LetThrough::over(pid_t thread) {
  if (calls_.erase(thread) != 0) last_over_ = std::chrono::steady_clock::now();
}

bool LetThrough::lately() const {
  constexpr std::chrono::seconds kMoments(2);
  return !calls_.empty() ||
         (last_over_ && std::chrono::steady_clock::now() - *last_over_ < kMoments);
}

void LetThrough::sample() {
  const std::size_t before = calls_.size();
  for (auto call = calls_.begin(); call != calls_.end();)
    call = is_over(call->first, call->second) ? calls_.erase(call) : std::next(call);
  if (calls_.size() != before) last_over_ = std::chrono::steady_clock::now();
}

}  // namespace ward::confine
