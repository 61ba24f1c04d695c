// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/watchdog.h"

#include <utility>

namespace ward::egress {

namespace {
using Clock = std::chrono::steady_clock;
constexpr auto kLongest = std::chrono::hours(24);
}  // namespace

struct Watchdog::State {
  State(asio::io_context& loop, std::function<void()> callback)
      : timer(loop.get_executor()), expired(std::move(callback)) {}
  Timer timer;
  std::function<void()> expired;
  Clock::time_point at = Clock::time_point::max();
  bool has_expired = false;

  static Task<void> watch(std::shared_ptr<State> state) {
    while (state->expired) {
      const auto now = Clock::now();
      if (now >= state->at) {
        state->has_expired = true;
        std::exchange(state->expired, nullptr)();
        co_return;
      }
      state->timer.expires_at(std::min(state->at, now + kLongest));
      boost::system::error_code cancelled;
      co_await state->timer.async_wait(asio::redirect_error(kAwait, cancelled));
    }
  }
};

Watchdog::Watchdog(asio::io_context& loop, std::function<void()> expired)
    : state_(std::make_shared<State>(loop, std::move(expired))) {
  asio::co_spawn(loop, State::watch(state_), asio::detached);
}

Watchdog::~Watchdog() {
  state_->expired = nullptr;
  state_->timer.cancel();
}

void Watchdog::allow(Clock::duration patience) {
  const auto at = Clock::now() + patience;
  // The timer wakes at the old deadline and sees the new one; only an earlier one must wake it.
  const bool earlier = at < state_->at;
  state_->at = at;
  if (earlier) state_->timer.cancel();
}

void Watchdog::allow_forever() { state_->at = Clock::time_point::max(); }

bool Watchdog::has_expired() const { return state_->has_expired; }

}  // namespace ward::egress
