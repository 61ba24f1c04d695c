// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/socks.h"

#include <algorithm>

#include "egress/address.h"

namespace ward::egress {

namespace {

constexpr unsigned char kVersion = 5, kConnect = 1;
constexpr unsigned char kV4 = 1, kName = 3, kV6 = 4;

unsigned char at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

std::string address_text(Address::Family family, std::string_view bytes) {
  Address address;
  address.family = family;
  std::transform(bytes.begin(), bytes.end(), address.bytes.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
  return to_text(address);
}

}  // namespace

SocksGreeting read_socks_greeting(std::string_view bytes) {
  SocksGreeting greeting;
  if (!bytes.empty() && at(bytes, 0) != kVersion) greeting.state = SocksGreeting::State::bad;
  if (bytes.size() < 2 || greeting.state == SocksGreeting::State::bad) return greeting;
  greeting.size = 2U + at(bytes, 1);
  if (bytes.size() < greeting.size) return greeting;
  greeting.offers_none = bytes.substr(2, at(bytes, 1)).find('\0') != std::string_view::npos;
  greeting.state = SocksGreeting::State::complete;
  return greeting;
}

SocksRequest read_socks_request(std::string_view bytes) {
  SocksRequest request;
  const auto bad = [&](SocksReply reply) {
    request.state = SocksRequest::State::bad;
    request.reply = reply;
    return request;
  };
  if (!bytes.empty() && at(bytes, 0) != kVersion) return bad(SocksReply::general_failure);
  if (bytes.size() > 1 && at(bytes, 1) != kConnect) return bad(SocksReply::command_not_supported);
  if (bytes.size() > 2 && at(bytes, 2) != 0) return bad(SocksReply::general_failure);
  if (bytes.size() < 5) return request;
  const unsigned char type = at(bytes, 3);
  std::size_t begin = 4;
  std::size_t length = 4;
  if (type == kName) {
    begin = 5;
    length = at(bytes, 4);
    if (length == 0) return bad(SocksReply::general_failure);
  } else if (type == kV6) {
    length = 16;
  } else if (type != kV4) {
    return bad(SocksReply::address_type_not_supported);
  }
  request.size = begin + length + 2;
  if (bytes.size() < request.size) return request;
  const std::string_view address = bytes.substr(begin, length);
  if (type == kName) {
    request.host = address;
  } else {
    request.host = address_text(type == kV4 ? Address::Family::v4 : Address::Family::v6, address);
  }
  request.port =
      static_cast<std::uint16_t>((at(bytes, request.size - 2) << 8U) | at(bytes, request.size - 1));
  request.state = SocksRequest::State::complete;
  return request;
}

std::string socks_reply(SocksReply code) {
  // Version, code, reserved, an IPv4 address of zeros and port 0.
  std::string reply(10, '\0');
  reply[0] = static_cast<char>(kVersion);
  reply[1] = static_cast<char>(code);
  reply[3] = static_cast<char>(kV4);
  return reply;
}

}  // namespace ward::egress
