// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Internet addresses as plain values: an address, a block of them, an address with a port.
// Trivially copyable, so that they also travel in messages and in memory shared with a child. No
// state; safe from any thread. Sources: ip(7), ipv6(7).
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ward::sys {

struct InetAddress {
  sa_family_t family = AF_INET;             // AF_INET or AF_INET6
  std::array<std::uint8_t, 16> bytes = {};  // in network order; of IPv4 the first four
  auto operator<=>(const InetAddress&) const = default;

  int bits() const { return family == AF_INET ? 32 : 128; }
  // An IPv4 address in IPv6's clothes (::ffff:a.b.c.d) reaches the same machine.
  InetAddress unmapped() const;
  bool is_loopback() const;     // 127.0.0.0/8, ::1
  bool is_unspecified() const;  // 0.0.0.0, ::, which the kernel takes for loopback
};

struct InetBlock {
  InetAddress address;
  std::uint8_t prefix = 0;
  auto operator<=>(const InetBlock&) const = default;
  bool contains(const InetAddress& other) const;
};

struct Endpoint {
  InetAddress address;
  std::uint16_t port = 0;
  auto operator<=>(const Endpoint&) const = default;
};

// "192.0.2.1" or "2001:db8::1"; nothing for any other spelling.
std::optional<InetAddress> parse_inet_address(std::string_view text);
// "10.0.0.0/8", or an address alone.
std::optional<InetBlock> parse_inet_block(std::string_view text);
std::string to_string(const InetAddress& address);
std::string to_string(const Endpoint& endpoint);  // "192.0.2.1:80", "[2001:db8::1]:80"

// The kernel's form.
struct SocketAddress {
  struct sockaddr_storage storage = {};
  socklen_t size = 0;
  const struct sockaddr* get() const { return reinterpret_cast<const struct sockaddr*>(&storage); }
};
SocketAddress socket_address(const Endpoint& endpoint) noexcept;
// Nothing where the bytes are no internet address, or too few.
std::optional<Endpoint> endpoint_of(std::string_view socket_address);

}  // namespace ward::sys
