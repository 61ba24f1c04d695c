// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// SOCKS version 5, the part a client says: the greeting and one CONNECT request. Pure; safe from
// any thread. Source: RFC 1928.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ward::egress {

// Codes of a reply.
enum class SocksReply : std::uint8_t {
  succeeded = 0,
  general_failure = 1,
  not_allowed = 2,  // by the rules
  host_unreachable = 4,
  connection_refused = 5,
  command_not_supported = 7,
  address_type_not_supported = 8,
};

struct SocksGreeting {
  enum class State : std::uint8_t { more, bad, complete };
  State state = State::more;
  std::size_t size = 0;      // of the greeting
  bool offers_none = false;  // the method without authentication
};
SocksGreeting read_socks_greeting(std::string_view bytes);

struct SocksRequest {
  enum class State : std::uint8_t { more, bad, complete };
  State state = State::more;
  SocksReply reply = SocksReply::succeeded;  // where it is bad: what to answer
  std::size_t size = 0;
  std::string host;  // as sent: a name, or an address in text
  std::uint16_t port = 0;
};
SocksRequest read_socks_request(std::string_view bytes);

// The reply to a request; the bound address is not told.
std::string socks_reply(SocksReply code);

}  // namespace ward::egress
