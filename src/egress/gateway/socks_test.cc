// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/socks.h"

#include <gtest/gtest.h>

namespace ward::egress {
namespace {

using std::string_literals::operator""s;

TEST(Socks, GreetingsTellWhetherNoneIsOffered) {
  const auto greeting = read_socks_greeting("\x05\x02\x02\x00rest"s);
  EXPECT_EQ(greeting.state, SocksGreeting::State::complete);
  EXPECT_TRUE(greeting.offers_none);
  EXPECT_EQ(greeting.size, 4U);
  EXPECT_FALSE(read_socks_greeting("\x05\x01\x02"s).offers_none);
  EXPECT_EQ(read_socks_greeting("\x05\x02\x00"s).state, SocksGreeting::State::more);
  EXPECT_EQ(read_socks_greeting("\x04\x01"s).state, SocksGreeting::State::bad);
}

TEST(Socks, RequestsNameAHostOrAnAddress) {
  const auto name = read_socks_request(
      "\x05\x01\x00\x03\x05"
      "a.net"
      "\x01\xbb"
      "rest"s);
  EXPECT_EQ(name.state, SocksRequest::State::complete);
  EXPECT_EQ(name.host, "a.net");
  EXPECT_EQ(name.port, 443);
  EXPECT_EQ(name.size, 12U);
  EXPECT_EQ(read_socks_request("\x05\x01\x00\x01\x0a\x00\x00\x01\x00\x50"s).host, "10.0.0.1");
  EXPECT_EQ(read_socks_request("\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x00\x50"s).host,
            "::1");
}

TEST(Socks, EveryPrefixWaitsForMore) {
  const std::string whole =
      "\x05\x01\x00\x03\x05"
      "a.net"
      "\x01\xbb"s;
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(read_socks_request(whole.substr(0, size)).state, SocksRequest::State::more);
}

TEST(Socks, OtherCommandsAndTypesAreAnswered) {
  EXPECT_EQ(read_socks_request("\x05\x02\x00"s).reply, SocksReply::command_not_supported);
  EXPECT_EQ(read_socks_request("\x05\x03\x00"s).reply, SocksReply::command_not_supported);
  EXPECT_EQ(read_socks_request("\x05\x01\x00\x02\x01"s).reply,
            SocksReply::address_type_not_supported);
  EXPECT_EQ(read_socks_request("\x05\x01\x00\x03\x00"s).state, SocksRequest::State::bad);
  EXPECT_EQ(socks_reply(SocksReply::not_allowed), "\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00"s);
}

}  // namespace
}  // namespace ward::egress
