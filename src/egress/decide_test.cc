// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/decide.h"

#include <gtest/gtest.h>

#include "policy/explain.h"

namespace ward::egress {
namespace {

using policy::HostRule;

policy::Network network_of(std::vector<HostRule> allow, std::vector<HostRule> deny = {}) {
  policy::Network network;
  network.allow = std::move(allow);
  network.deny = std::move(deny);
  return network;
}
HostRule rule(std::string host, std::optional<std::uint16_t> port = {}) {
  return {std::move(host), port, {"ward.yaml", 7, policy::Scope::user}};
}
Ruling check(const policy::Network& network, std::string_view address, std::uint16_t port = 443,
             Ownership ownership = Ownership::foreign) {
  return check_address(network, "example.org", *parse_address(address), port, ownership);
}

TEST(Decide, TheTextIsWhatPolicyExplainPrints) {
  const auto network = network_of({rule("example.org")}, {rule("bad.example.org")});
  policy::Policy whole;
  whole.network = network;
  for (const char* host :
       {"example.org:443", "example.org:22", "bad.example.org:443", "x.net:80"}) {
    const std::string_view text(host);
    const std::size_t colon = text.find(':');
    const auto port = static_cast<std::uint16_t>(std::stoi(std::string(text.substr(colon + 1))));
    EXPECT_EQ(decide(network, text.substr(0, colon), port).text,
              policy::explain_host(whole, host)->text());
  }
}

TEST(Decide, ARefusalNamesTheRuleAndTheRemedy) {
  const Ruling ruling = decide(network_of({rule("example.org")}), "example.org", 8443);
  EXPECT_FALSE(ruling.allowed);
  EXPECT_NE(ruling.text.find("add \"example.org:8443\" to network.allow"), std::string::npos)
      << ruling.text;
  const Ruling denied = decide(network_of({rule("a.net")}, {rule("a.net")}), "a.net", 443);
  EXPECT_EQ(denied.rule, "deny a.net (ward.yaml:7)");
}

TEST(Decide, OnlyARuleWithAPortNamesIt) {
  const auto network = network_of({rule("a.net"), rule("b.net", 22)});
  EXPECT_FALSE(decide(network, "a.net", 443).names_port);
  EXPECT_TRUE(decide(network, "b.net", 22).names_port);
}

TEST(CheckAddress, PublicAddressesOfAnAllowedNamePass) {
  EXPECT_TRUE(check(network_of({rule("example.org")}), "93.184.216.34").allowed);
  EXPECT_TRUE(check(network_of({rule("example.org")}), "2606:2800:220:1::1").allowed);
}

TEST(CheckAddress, WhatIsNotPublicMustBeListed) {
  const auto name_only = network_of({rule("example.org")});
  for (const char* address :
       {"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "169.254.1.1", "fe80::1", "fd00::1",
        "100.64.0.1", "198.18.0.1", "0.0.0.0", "::", "::ffff:127.0.0.1", "64:ff9b::a00:1",
        "2002:7f00:1::", "169.254.169.254", "::ffff:169.254.169.254", "224.0.0.1"})
    EXPECT_FALSE(check(name_only, address).allowed) << address;
  const auto listed = network_of(
      {rule("example.org"), rule("10.0.0.0/8"), rule("127.0.0.1"), rule("fd00::/8", 443)});
  for (const char* address : {"127.0.0.1", "::ffff:127.0.0.1", "10.2.3.4", "fd00::1"})
    EXPECT_TRUE(check(listed, address).allowed) << address;
  EXPECT_FALSE(check(listed, "10.2.3.4", 22).allowed);
}

TEST(CheckAddress, ARefusalSaysWhereTheNameLeads) {
  const Ruling ruling = check(network_of({rule("example.org")}), "::ffff:10.0.0.1");
  EXPECT_EQ(ruling.reason, "it leads to ::ffff:10.0.0.1 (10.0.0.1), which is a private address");
  EXPECT_NE(ruling.text.find("add \"10.0.0.1:443\" to network.allow"), std::string::npos);
}

TEST(CheckAddress, MetadataAndOwnAddressesMustBeListedAlone) {
  const auto block = network_of({rule("169.254.0.0/16"), rule("10.0.0.0/8")});
  EXPECT_FALSE(check(block, "169.254.169.254").allowed);
  EXPECT_FALSE(check(block, "10.0.0.5", 443, Ownership::own).allowed);
  EXPECT_TRUE(check(block, "10.0.0.5").allowed);
  const auto exact = network_of({rule("169.254.169.254"), rule("10.0.0.5")});
  EXPECT_TRUE(check(exact, "169.254.169.254").allowed);
  EXPECT_TRUE(check(exact, "10.0.0.5", 443, Ownership::own).allowed);
  EXPECT_FALSE(
      check(network_of({rule("example.org")}), "93.184.216.34", 443, Ownership::own).allowed);
}

TEST(CheckAddress, TheHostItselfIsNeverReachedAsUnspecified) {
  EXPECT_FALSE(check(network_of({rule("0.0.0.0")}), "0.0.0.0").allowed);
}

TEST(CheckAddress, ADenyOfTheAddressHoldsForANameThatLeadsToIt) {
  const auto network = network_of({rule("example.org")}, {rule("93.184.216.0/24")});
  const Ruling ruling = check(network, "93.184.216.34");
  EXPECT_FALSE(ruling.allowed);
  EXPECT_EQ(ruling.rule, "deny 93.184.216.0/24 (ward.yaml:7)");
  EXPECT_FALSE(check(network, "::ffff:93.184.216.34").allowed);
}

TEST(AllowedPorts, AreThoseOfEveryRuleLessTheDenied) {
  const auto network =
      network_of({rule("a.net"), rule("*.net", 22), rule("a.net", 8443)}, {rule("a.net", 80)});
  EXPECT_EQ(allowed_ports(network, "a.net"), (std::vector<std::uint16_t>{22, 443, 8443}));
  EXPECT_EQ(allowed_ports(network, "b.net"), (std::vector<std::uint16_t>{22}));
  EXPECT_TRUE(allowed_ports(network, "b.org").empty());
}

TEST(NormaliseHost, OneSpellingForEachHost) {
  EXPECT_EQ(normalise_host("Example.ORG."), "example.org");
  EXPECT_EQ(normalise_host("[::FFFF:10.0.0.1]"), "10.0.0.1");
  EXPECT_EQ(normalise_host("[FD00::0:1]"), "fd00::1");
  EXPECT_EQ(normalise_host("10.0.0.1"), "10.0.0.1");
  for (const char* text : {"", "0x7f.1", "127.1", "2130706433", "a b", "a/b", "*.a.net",
                           "[10.0.0.1]", "[::1", "a:b", "user@a.net", "a.net%00", "\xd0\xb0.net"})
    EXPECT_FALSE(normalise_host(text)) << text;
}

}  // namespace
}  // namespace ward::egress
