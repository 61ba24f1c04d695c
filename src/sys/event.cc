// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/event.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace ward::sys {

namespace {

std::uint64_t key_of(int fd, std::uint32_t generation) {
  return (std::uint64_t{generation} << 32U) | static_cast<std::uint32_t>(fd);
}

}  // namespace

Result<EventLoop> EventLoop::create() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return fail_errno(errno, "epoll_create1");
  return EventLoop(std::move(epoll));
}

Status EventLoop::control(int operation, int fd, std::uint32_t events) {
  struct epoll_event event = {};
  event.events = events;
  event.data.u64 = key_of(fd, watches_[fd].generation);
  if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
    return fail_errno(errno, "epoll_ctl fd " + std::to_string(fd));
  return {};
}

Status EventLoop::add(int fd, std::uint32_t events, Handler handler) {
  if (watches_.contains(fd))
    return fail(ErrorKind::bug, "fd " + std::to_string(fd) + " is watched already");
  watches_[fd] = {next_generation_++, std::make_shared<Handler>(std::move(handler))};
  Status added = control(EPOLL_CTL_ADD, fd, events);
  if (!added) watches_.erase(fd);
  return added;
}

Status EventLoop::modify(int fd, std::uint32_t events) {
  return control(EPOLL_CTL_MOD, fd, events);
}

void EventLoop::remove(int fd) {
  if (watches_.erase(fd) > 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

Status EventLoop::run_once() { return serve(-1); }
Status EventLoop::run_ready() { return serve(0); }

Status EventLoop::serve(int timeout_ms) {
  std::array<struct epoll_event, 16> events;
  int count =
      ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  if (count < 0 && errno == EINTR) return {};
  if (count < 0) return fail_errno(errno, "epoll_wait");
  for (int i = 0; i < count; ++i) {
    const struct epoll_event& event = events[static_cast<std::size_t>(i)];
    auto watch = watches_.find(static_cast<int>(event.data.u64 & 0xffffffffU));
    if (watch == watches_.end() || watch->second.generation != event.data.u64 >> 32U) continue;
    // Kept alive while it runs: it may remove itself.
    std::shared_ptr<Handler> handler = watch->second.handler;
    (*handler)(event.events);
  }
  return {};
}

Result<UniqueFd> make_timer() {
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer.valid()) return fail_errno(errno, "timerfd_create");
  return timer;
}

Status set_timer(int timer, std::chrono::nanoseconds delay) {
  // Zero would disarm it.
  auto count = std::max<std::int64_t>(delay.count(), 1);
  struct itimerspec spec = {};
  spec.it_value.tv_sec = count / 1'000'000'000;
  spec.it_value.tv_nsec = count % 1'000'000'000;
  if (::timerfd_settime(timer, 0, &spec, nullptr) != 0) return fail_errno(errno, "timerfd_settime");
  return {};
}

Status stop_timer(int timer) {
  struct itimerspec spec = {};
  if (::timerfd_settime(timer, 0, &spec, nullptr) != 0) return fail_errno(errno, "timerfd_settime");
  return {};
}

}  // namespace ward::sys
