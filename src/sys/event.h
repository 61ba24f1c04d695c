// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// EventLoop: descriptors and what to do when they are ready, over one epoll instance; timers are
// descriptors too. Owns the epoll descriptor and the handlers, never the descriptors watched.
// Handlers run one at a time inside run_once() and may add, change and remove any descriptor, their
// own included; one removed there gets no event that was already collected. Single-threaded.
// Sources: epoll(7), timerfd_create(2).
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

class EventLoop {
 public:
  using Handler = std::function<void(std::uint32_t events)>;

  static Result<EventLoop> create();

  // `events` are EPOLLIN and its like; EPOLLERR and EPOLLHUP always come. Regular files and some
  // devices cannot be watched (errno EPERM).
  Status add(int fd, std::uint32_t events, Handler handler);
  // Also re-arms EPOLLONESHOT. Precondition: `fd` was added.
  Status modify(int fd, std::uint32_t events);
  // Does nothing for a descriptor that is not watched. To be called before the descriptor is
  // closed.
  void remove(int fd);

  // Waits for at least one event, or a signal handler, and runs the handlers of what is ready.
  Status run_once();

  // For a loop inside another: readable when something is ready, which run_ready() then serves
  // without waiting.
  int fd() const { return epoll_.get(); }
  Status run_ready();

 private:
  struct Watch {
    std::uint32_t generation = 0;
    std::shared_ptr<Handler> handler;
  };

  explicit EventLoop(UniqueFd epoll) : epoll_(std::move(epoll)) {}
  Status control(int operation, int fd, std::uint32_t events);
  Status serve(int timeout_ms);

  UniqueFd epoll_;
  std::uint32_t next_generation_ = 0;
  std::unordered_map<int, Watch> watches_;
};

// A CLOCK_MONOTONIC timer, disarmed. Readable once it has fired, until it is set again.
Result<UniqueFd> make_timer();
// Fires once after `delay`; at once for zero or less. Setting replaces the earlier setting.
Status set_timer(int timer, std::chrono::nanoseconds delay);
Status stop_timer(int timer);

}  // namespace ward::sys
