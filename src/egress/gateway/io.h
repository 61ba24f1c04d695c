// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Reading and writing with a deadline, for the gateway's coroutines. Sockets do not block; a
// coroutine waits only where the kernel has nothing, so that no connection holds up another. An
// error of kind busy is a deadline that passed. One thread.
//
// COMPAT(g++ 12): in a coroutine, no expression that holds a co_await has a temporary with a
// destructor, nor a ?: of class type in the same function: the compiler destroys those twice. So
// what is passed to a coroutine has a name.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"
#include "egress/gateway/asio.h"

namespace ward::egress {

using Clock = std::chrono::steady_clock;
inline constexpr Clock::time_point kNever = Clock::time_point::max();

// Adopts an accepted or connected TCP socket: not blocking, no delay, kept alive.
Result<Socket> adopt_socket(asio::io_context& loop, int fd);

enum class Wait : unsigned char { read, write };
// False: the deadline passed, or the socket was closed.
Task<bool> wait_for(Socket& socket, Wait what, Clock::time_point deadline);

// Which of the two has something to read first; second as well where the deadline passed.
enum class First : unsigned char { first, second };
Task<First> wait_for_either(Socket& first, Socket& second, Clock::time_point deadline);

// Appends at most `max` bytes; 0 at the end.
Task<Result<std::size_t>> read_more(Socket& socket, std::string& into, std::size_t max,
                                    Clock::time_point deadline);
Task<Status> write_all(Socket& socket, std::string_view bytes, Clock::time_point deadline);

// Connects a new socket to the address.
Task<Result<Socket>> connect_to(asio::io_context& loop, const asio::ip::tcp::endpoint& endpoint,
                                Clock::time_point deadline);

// Sends the rest, waits a moment for the client to have read it, and closes: a close with unread
// bytes would reset the connection and take away the answer.
Task<void> close_gently(Socket& socket);
// So that the other end sees a reset, and not an end.
void reset(Socket& socket);

// Something coroutines wait for that other coroutines announce.
class Signal {
 public:
  explicit Signal(asio::io_context& loop) : loop_(loop), timer_(loop.get_executor(), kNever) {}
  // Wakes everybody who waits now.
  void announce() { timer_.cancel(); }
  Task<void> wait() { return wait_until(kNever); }
  Task<void> wait_until(Clock::time_point deadline);

 private:
  asio::io_context& loop_;
  Timer timer_;
};

// Lets every other coroutine that is ready run first.
Task<void> give_way(asio::io_context& loop);

Task<void> sleep_until(asio::io_context& loop, Clock::time_point when);

}  // namespace ward::egress
