// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/address.h"

#include <gtest/gtest.h>

namespace ward::egress {
namespace {

AddressClass class_of(std::string_view text) {
  const auto address = parse_address(text);
  EXPECT_TRUE(address) << text;
  return address ? classify(*address) : AddressClass::global;
}

TEST(Address, OddSpellingsOfIpv4AreNotAddresses) {
  for (const char* text : {"0x7f.0.0.1", "0177.0.0.1", "127.1", "2130706433", "127.0.0.1.", "1.2.3",
                           "127.0.0.1 ", "[::1]", "fe80::1%lo", "", "::ffff:0x7f.0.0.1"})
    EXPECT_FALSE(parse_address(text)) << text;
}

TEST(Address, WhatCarriesIpv4IsTheIpv4Address) {
  for (const char* text :
       {"::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1",
        "2002:7f00:1::", "2002:7f00:1:1234::1", "::127.0.0.1"})
    EXPECT_EQ(to_text(canonical(*parse_address(text))), "127.0.0.1") << text;
  EXPECT_EQ(to_text(canonical(*parse_address("::1"))), "::1");
  EXPECT_EQ(to_text(canonical(*parse_address("::"))), "::");
}

TEST(Address, EveryClassIsKnownInEverySpelling) {
  EXPECT_EQ(class_of("1.1.1.1"), AddressClass::global);
  EXPECT_EQ(class_of("2606:4700::1111"), AddressClass::global);
  EXPECT_EQ(class_of("64:ff9b::1.1.1.1"), AddressClass::global);
  EXPECT_EQ(class_of("0.0.0.0"), AddressClass::unspecified);
  EXPECT_EQ(class_of("0.1.2.3"), AddressClass::unspecified);
  EXPECT_EQ(class_of("::"), AddressClass::unspecified);
  EXPECT_EQ(class_of("::ffff:0.0.0.0"), AddressClass::unspecified);
  EXPECT_EQ(class_of("127.255.0.1"), AddressClass::loopback);
  EXPECT_EQ(class_of("::1"), AddressClass::loopback);
  EXPECT_EQ(class_of("::ffff:127.0.0.1"), AddressClass::loopback);
  EXPECT_EQ(class_of("64:ff9b::7f00:1"), AddressClass::loopback);
  EXPECT_EQ(class_of("169.254.1.1"), AddressClass::link_local);
  EXPECT_EQ(class_of("fe80::1"), AddressClass::link_local);
  EXPECT_EQ(class_of("169.254.169.254"), AddressClass::metadata);
  EXPECT_EQ(class_of("::ffff:169.254.169.254"), AddressClass::metadata);
  EXPECT_EQ(class_of("fd00:ec2::254"), AddressClass::metadata);
  EXPECT_EQ(class_of("10.1.2.3"), AddressClass::private_use);
  EXPECT_EQ(class_of("172.31.255.255"), AddressClass::private_use);
  EXPECT_EQ(class_of("172.32.0.1"), AddressClass::global);
  EXPECT_EQ(class_of("2002:a00:1::"), AddressClass::private_use);
  EXPECT_EQ(class_of("fd57:6172:64::1"), AddressClass::private_use);
  EXPECT_EQ(class_of("100.64.0.1"), AddressClass::shared);
  EXPECT_EQ(class_of("224.0.0.251"), AddressClass::multicast);
  EXPECT_EQ(class_of("ff02::1"), AddressClass::multicast);
  EXPECT_EQ(class_of("198.19.255.255"), AddressClass::reserved);
  EXPECT_EQ(class_of("255.255.255.255"), AddressClass::reserved);
  EXPECT_EQ(class_of("64:ff9b:1::1"), AddressClass::reserved);
  EXPECT_EQ(class_of("2001:0:4136:e378::1"), AddressClass::reserved);
}

TEST(Address, AdvanceCarries) {
  EXPECT_EQ(to_text(advance(*parse_address("198.18.1.0"), 300)), "198.18.2.44");
  EXPECT_EQ(to_text(advance(*parse_address("fd57:6172:64::1:0"), 65536)), "fd57:6172:64::2:0");
}

}  // namespace
}  // namespace ward::egress
