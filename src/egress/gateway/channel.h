// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The gateway's end of its channel to the supervisor. Messages are queued and sent in order without
// waiting; when the supervisor is slow, room() holds back whoever would make more of them, so that
// the queue is bounded and nothing is dropped. One thread.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/gateway/asio.h"
#include "egress/gateway/io.h"
#include "egress/wire.h"

namespace ward::egress {

struct Incoming {
  ToGateway message;
  UniqueFd fd;  // invalid where none came with it
};

class GatewayChannel {
 public:
  // Takes the descriptor, which blocks; receive_first() may be called before the loop runs.
  GatewayChannel(asio::io_context& loop, UniqueFd channel);
  GatewayChannel(const GatewayChannel&) = delete;
  GatewayChannel& operator=(const GatewayChannel&) = delete;
  ~GatewayChannel();

  Result<Incoming> receive_first();
  void send(const FromGateway& message);
  // Returns once few messages are queued.
  Task<void> room();
  // Until the channel closes or breaks; then `closed` is called, once.
  void run(std::function<void(Incoming)> received, std::function<void()> closed);
  // Sends what is queued, waiting for the supervisor as long as it lives.
  void flush();

 private:
  Result<std::optional<Incoming>> receive();
  Task<void> read_all();
  Task<void> write_all();
  void close();

  UniqueFd channel_;
  Watched watched_;  // the same descriptor, never closed by it
  std::deque<std::string> queue_;
  Signal queued_, sent_;
  std::function<void(Incoming)> received_;
  std::function<void()> closed_;
};

}  // namespace ward::egress
