// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// GatewayClient: the supervisor's side of one gateway. It starts the program, hands it its
// configuration and the listening sockets, and takes its messages. Owns the process and the
// channel: the gateway ends when the client goes. Single-threaded; nothing here waits, but for
// stop().
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/spec.h"
#include "egress/wire.h"

namespace ward::egress {

// Where the program is: beside `ward` in a build tree, in ../libexec/ward/ where it is installed.
Result<std::string> find_gateway_program();

class GatewayClient {
 public:
  // Starts `program` (an absolute path) in this process's network namespace, without waiting for
  // it: sockets can be offered at once, and what connects to them waits in their backlog. Call from
  // a single-threaded process: the gateway is killed when the calling thread ends.
  static Result<GatewayClient> start(const std::string& program, const GatewaySpec& spec);

  GatewayClient(GatewayClient&& other) noexcept { *this = std::move(other); }
  GatewayClient& operator=(GatewayClient&& other) noexcept;
  ~GatewayClient();

  // Readable (EPOLLIN) when receive() has something.
  int channel() const { return channel_.get(); }
  pid_t pid() const { return pid_; }

  // The gateway gets a copy of the descriptor; the caller may close its own.
  Status offer(const ListenerOffer& listener, int socket);
  Status refuse(const ListenerRefused& refused);
  // `socket` -1: the connection could not be made, and `connection.reason` says why.
  Status connect(const ConnectionOffer& connection, int socket);
  Status decide(const Decision& decision);
  Status reconfigure(const GatewaySpec& spec);
  // Asks it to finish: its last records come, then Ended.
  Status end();

  struct Closed {};  // the gateway is gone, whatever the reason
  using Received = std::variant<FromGateway, Closed>;
  // The next message; nullopt: none now.
  Result<std::optional<Received>> receive();

  // Closes the channel, waits at most `patience` for the process, then kills it; its wait status.
  // Does nothing, and answers nullopt, where it was reaped already.
  std::optional<int> stop(std::chrono::milliseconds patience);

 private:
  GatewayClient(UniqueFd channel, UniqueFd process, pid_t pid)
      : channel_(std::move(channel)), process_(std::move(process)), pid_(pid) {}
  Status send(const ToGateway& message, int fd = -1);

  UniqueFd channel_;
  UniqueFd process_;  // a pidfd
  pid_t pid_ = -1;
};

// The descriptor at which the program finds its channel.
inline constexpr int kGatewayChannelFd = 3;

}  // namespace ward::egress
