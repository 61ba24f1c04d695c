// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/inet.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

namespace ward::sys {
namespace {

InetAddress address(const char* text) { return parse_inet_address(text).value(); }
InetBlock block(const char* text) { return parse_inet_block(text).value(); }

TEST(InetAddress, OnlyTheCommonSpellingsAreRead) {
  EXPECT_EQ(to_string(address("192.0.2.1")), "192.0.2.1");
  EXPECT_EQ(to_string(address("2001:DB8:0::1")), "2001:db8::1");
  for (const char* odd :
       {"", "192.0.2", "0300.0.2.1", "192.0.2.1 ", "0xc0000201", "[::1]", "::1%lo"})
    EXPECT_FALSE(parse_inet_address(odd)) << odd;
}

TEST(InetAddress, AMappedOneIsTheIpv4OneThatItReaches) {
  EXPECT_EQ(address("::ffff:127.0.0.1").unmapped(), address("127.0.0.1"));
  EXPECT_EQ(address("::1").unmapped(), address("::1"));
  EXPECT_TRUE(address("127.9.9.9").is_loopback());
  EXPECT_TRUE(address("::1").is_loopback());
  EXPECT_FALSE(address("::2").is_loopback());
  EXPECT_TRUE(address("0.0.0.0").is_unspecified());
}

TEST(InetBlock, HoldsWhatItsPrefixCovers) {
  EXPECT_TRUE(block("198.18.0.0/15").contains(address("198.19.255.255")));
  EXPECT_FALSE(block("198.18.0.0/15").contains(address("198.20.0.0")));
  EXPECT_TRUE(block("fd57:6172:64::/48").contains(address("fd57:6172:64:ffff::1")));
  EXPECT_FALSE(block("fd57:6172:64::/48").contains(address("fd57:6172:65::1")));
  EXPECT_TRUE(block("192.0.2.1").contains(address("192.0.2.1")));
  EXPECT_FALSE(block("192.0.2.1").contains(address("192.0.2.2")));
  EXPECT_FALSE(block("0.0.0.0/0").contains(address("::1"))) << "another family";
  for (const char* odd : {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "::/129"})
    EXPECT_FALSE(parse_inet_block(odd)) << odd;
}

TEST(Endpoint, SurvivesTheKernelsForm) {
  for (const Endpoint& endpoint :
       {Endpoint{address("192.0.2.1"), 443}, Endpoint{address("2001:db8::7"), 1}}) {
    const SocketAddress kernel = socket_address(endpoint);
    const std::string_view bytes(reinterpret_cast<const char*>(&kernel.storage), kernel.size);
    EXPECT_EQ(endpoint_of(bytes), endpoint);
    EXPECT_FALSE(endpoint_of(bytes.substr(0, 7))) << "cut";
  }
  EXPECT_FALSE(endpoint_of(""));
  EXPECT_EQ(to_string(Endpoint{address("2001:db8::7"), 1}), "[2001:db8::7]:1");
}

}  // namespace
}  // namespace ward::sys
