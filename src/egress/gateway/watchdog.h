// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Watchdog: ends what takes too long. One timer a connection; moving the deadline costs nothing. It
// calls back once, from the loop, and never after it is gone. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "egress/gateway/asio.h"

namespace ward::egress {

class Watchdog {
 public:
  Watchdog(asio::io_context& loop, std::function<void()> expired);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void allow(std::chrono::steady_clock::duration patience);
  void allow_forever();
  bool has_expired() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ward::egress
