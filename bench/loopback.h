// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the network benchmarks share: addresses of and connections over loopback.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>

#include "base/unique_fd.h"

namespace ward::bench {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// A connection that sends at once; invalid where none was made, and errno says why.
inline UniqueFd dial(std::uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = loopback(port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return {};
  send_at_once(socket.get());
  return socket;
}

}  // namespace ward::bench
