// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/network_decision.h"

#include <gtest/gtest.h>

namespace ward::policy {
namespace {

HostRule host(const std::string& text, HostContext context = HostContext::allow) {
  const HostPort parsed = parse_host_pattern(text, context).value();
  return {parsed.host, parsed.port, {"test", 1, Scope::user}};
}

TEST(Hosts, AStarMeansSubdomainsAndTwoTheApexToo) {
  EXPECT_TRUE(host_matches("*.example.com", "a.example.com"));
  EXPECT_TRUE(host_matches("*.example.com", "a.b.example.com"));
  EXPECT_FALSE(host_matches("*.example.com", "example.com"));
  EXPECT_FALSE(host_matches("*.example.com", "badexample.com"));
  EXPECT_TRUE(host_matches("**.example.com", "example.com"));
  EXPECT_TRUE(host_matches("**.example.com", "a.example.com"));
  EXPECT_FALSE(host_matches("**.example.com", "badexample.com"));
}

TEST(Hosts, ABlockCoversItsAddressesInEitherClothing) {
  EXPECT_TRUE(host_matches("10.0.0.0/8", "10.1.2.3"));
  EXPECT_TRUE(host_matches("10.0.0.0/8", "::ffff:10.1.2.3"));
  EXPECT_FALSE(host_matches("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(host_matches("fd00::/8", "fd12::1"));
  EXPECT_FALSE(host_matches("10.0.0.0/8", "a.example.com"));
}

TEST(Hosts, SpellingsOfOneHostAreOne) {
  EXPECT_EQ(parse_host_pattern("API.Example.COM.", HostContext::allow)->host, "api.example.com");
  EXPECT_EQ(parse_host_pattern("[FD00:0::1]:443", HostContext::allow)->host, "fd00::1");
  EXPECT_EQ(parse_host_pattern("10.0.0.7/32", HostContext::allow)->host, "10.0.0.7");
}

TEST(NetworkDecision, NothingIsAllowedByDefault) {
  const Network network;
  EXPECT_FALSE(NetworkDecider(network).decide("example.com", 443).allowed);
}

TEST(NetworkDecision, WithoutAPortTheWebsTwoAreMeant) {
  Network network;
  network.allow = {host("example.com"), host("db.example.com:5432")};
  const NetworkDecider decider(network);
  EXPECT_TRUE(decider.decide("example.com", 443).allowed);
  EXPECT_TRUE(decider.decide("EXAMPLE.com.", 80).allowed);
  EXPECT_FALSE(decider.decide("example.com", 22).allowed);
  EXPECT_TRUE(decider.decide("db.example.com", 5432).allowed);
  EXPECT_FALSE(decider.decide("db.example.com", 443).allowed);
}

TEST(NetworkDecision, DenyBeatsAMoreSpecificAllowAndCoversEveryPort) {
  Network network;
  network.allow = {host("a.example.com:8443")};
  network.deny = {host("**.example.com", HostContext::deny)};
  const HostVerdict verdict = NetworkDecider(network).decide("a.example.com", 8443);
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(verdict.rule, &network.deny[0]);
}

TEST(NetworkDecision, RequestRulesOfTheHostAreNamed) {
  Network network;
  network.allow = {host("*.example.com")};
  network.rules = {{"a.example.com", {"GET"}, {}, {}}, {"b.example.com", {}, {}, {}}};
  const HostVerdict verdict = NetworkDecider(network).decide("a.example.com", 443);
  EXPECT_TRUE(verdict.allowed);
  ASSERT_EQ(verdict.narrowed_by.size(), 1U);
  EXPECT_EQ(verdict.narrowed_by[0], &network.rules[0]);
}

}  // namespace
}  // namespace ward::policy
