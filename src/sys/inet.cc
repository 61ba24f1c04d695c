// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/inet.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ward::sys {

namespace {
constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
}  // namespace

InetAddress InetAddress::unmapped() const {
  if (family != AF_INET6 || !std::equal(kMapped.begin(), kMapped.end(), bytes.begin()))
    return *this;
  InetAddress v4;
  std::copy(bytes.begin() + kMapped.size(), bytes.end(), v4.bytes.begin());
  return v4;
}

bool InetAddress::is_loopback() const {
  if (family == AF_INET) return bytes[0] == 127;
  InetAddress one{AF_INET6, {}};
  one.bytes[15] = 1;
  return *this == one;
}

bool InetAddress::is_unspecified() const { return bytes == decltype(bytes){}; }

bool InetBlock::contains(const InetAddress& other) const {
  if (address.family != other.family) return false;
  for (int bit = 0; bit < prefix; bit += 8) {
    const auto at = static_cast<std::size_t>(bit / 8);
    const int kept = std::min(8, prefix - bit);
    const auto mask = static_cast<std::uint8_t>(0xffU << static_cast<unsigned>(8 - kept));
    if (((address.bytes.at(at) ^ other.bytes.at(at)) & mask) != 0) return false;
  }
  return true;
}

std::optional<InetAddress> parse_inet_address(std::string_view text) {
  const std::string copy(text);
  InetAddress address;
  for (const sa_family_t family : {sa_family_t{AF_INET}, sa_family_t{AF_INET6}}) {
    address.family = family;
    if (::inet_pton(family, copy.c_str(), address.bytes.data()) == 1) return address;
  }
  return std::nullopt;
}

std::optional<InetBlock> parse_inet_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<InetAddress> address = parse_inet_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos)
    return InetBlock{*address, static_cast<std::uint8_t>(address->bits())};
  const std::string_view digits = text.substr(slash + 1);
  std::uint8_t prefix = 0;
  const auto parsed = std::from_chars(digits.begin(), digits.end(), prefix);
  if (parsed.ec != std::errc() || parsed.ptr != digits.end() || prefix > address->bits())
    return std::nullopt;
  return InetBlock{*address, prefix};
}

std::string to_string(const InetAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(address.family, address.bytes.data(), text.data(), text.size());
  return text.data();
}

std::string to_string(const Endpoint& endpoint) {
  std::string host = to_string(endpoint.address);
  if (endpoint.address.family == AF_INET6) host = "[" + host + "]";
  return host + ":" + std::to_string(endpoint.port);
}

SocketAddress socket_address(const Endpoint& endpoint) noexcept {
  SocketAddress result;
  if (endpoint.address.family == AF_INET) {
    struct sockaddr_in in = {};
    in.sin_family = AF_INET;
    in.sin_port = htons(endpoint.port);
    std::memcpy(&in.sin_addr, endpoint.address.bytes.data(), sizeof in.sin_addr);
    std::memcpy(&result.storage, &in, sizeof in);
    result.size = sizeof in;
  } else {
    struct sockaddr_in6 in = {};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(endpoint.port);
    std::memcpy(&in.sin6_addr, endpoint.address.bytes.data(), sizeof in.sin6_addr);
    std::memcpy(&result.storage, &in, sizeof in);
    result.size = sizeof in;
  }
  return result;
}

std::optional<Endpoint> endpoint_of(std::string_view socket_address) {
  sa_family_t family = AF_UNSPEC;
  if (socket_address.size() < sizeof family) return std::nullopt;
  std::memcpy(&family, socket_address.data(), sizeof family);
  Endpoint endpoint;
  endpoint.address.family = family;
  if (family == AF_INET && socket_address.size() >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in in = {};
    std::memcpy(&in, socket_address.data(), sizeof in);
    std::memcpy(endpoint.address.bytes.data(), &in.sin_addr, sizeof in.sin_addr);
    endpoint.port = ntohs(in.sin_port);
    return endpoint;
  }
  // The kernel takes an address of IPv6 without its last field, too (SIN6_LEN_RFC2133).
  if (family == AF_INET6 && socket_address.size() >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
    struct sockaddr_in6 in = {};
    std::memcpy(&in, socket_address.data(), std::min(sizeof in, socket_address.size()));
    std::memcpy(endpoint.address.bytes.data(), &in.sin6_addr, sizeof in.sin6_addr);
    endpoint.port = ntohs(in.sin6_port);
    return endpoint;
  }
  return std::nullopt;
}

}  // namespace ward::sys
