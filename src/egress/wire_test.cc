// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/wire.h"

#include <gtest/gtest.h>

#include <string>

#include "egress/spec.h"

namespace ward::egress {
namespace {

GatewaySpec full_spec() {
  GatewaySpec spec;
  spec.sandbox = "01jd";
  spec.network.presets = {"npm"};
  spec.network.allow = {{"example.org", 8443, {"ward.yaml", 7, policy::Scope::workspace}},
                        {"*.example.net", std::nullopt, {"user.yaml", 2, policy::Scope::managed}}};
  spec.network.deny = {{"10.0.0.0/8", 22, {}}};
  spec.network.rules = {{"example.org", {"GET"}, {"/v1/**"}, {}}};
  spec.network.host_ports = {5432};
  spec.secrets = {{{"TOKEN", "env:TOKEN", {"example.org"}, "Authorization", "Bearer {}", {}},
                   "value-of-it",
                   "placeholder"}};
  spec.gates = {{policy::Gate::When::request, "example.org", "", {"POST"}, {"/buy"}, {}}};
  spec.interception = Interception::wanted;
  spec.name_servers = {"127.0.0.1:5353"};
  return spec;
}

TEST(GatewaySpec, IsReadBackAsItWasWritten) {
  const std::string bytes = serialise(full_spec());
  auto read = parse_spec(bytes);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(serialise(*read), bytes);
  EXPECT_EQ(read->network, full_spec().network);
  EXPECT_EQ(read->secrets.at(0).value, "value-of-it");
  EXPECT_EQ(read->gates, full_spec().gates);
  EXPECT_EQ(read->interception, Interception::wanted);
}

TEST(GatewaySpec, EveryCutIsRefused) {
  const std::string bytes = serialise(full_spec());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_spec(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(parse_spec(bytes + "x"));
}

TEST(GatewaySpec, AHugeLengthAllocatesNothing) {
  std::string bytes = serialise(GatewaySpec{});
  bytes.replace(4, 4, "\xff\xff\xff\xff");  // the length of the first text
  EXPECT_FALSE(parse_spec(bytes));
}

TEST(GatewayWire, EveryMessageIsReadBack) {
  const ToGateway to[] = {Configure{},
                          Reconfigure{},
                          ListenerOffer{ListenerRole::literal, "n", "10.0.0.1", 5432},
                          ListenerRefused{"198.18.1.0", 443, "no"},
                          ConnectionOffer{7, ""},
                          Decision{9, 1, "approved"},
                          End{}};
  for (const ToGateway& message : to) {
    auto read = decode_to_gateway(encode(message));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->index(), message.index());
    EXPECT_EQ(encode(*read), encode(message));
  }
  Record record;
  record.kind = RecordKind::request;
  record.host = "example.org";
  record.secrets = {"TOKEN"};
  record.bytes_down = 1ULL << 40U;
  record.started =
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(1234));
  record.duration = std::chrono::microseconds(5);
  const FromGateway from[] = {Ready{"pem"},
                              NeedListener{"n", "198.18.1.0", 443},
                              NeedConnection{3, 8080},
                              record,
                              Ask{1, "POST", "https://x/y", "g"},
                              Reconfigured{"bad"},
                              Failed{"why"},
                              Ended{}};
  for (const FromGateway& message : from) {
    auto read = decode_from_gateway(encode(message));
    ASSERT_TRUE(read);
    EXPECT_EQ(encode(*read), encode(message));
  }
  EXPECT_EQ(std::get<Record>(*decode_from_gateway(encode(FromGateway(record)))), record);
}

TEST(GatewayWire, LongTextsFromInsideAreCutToFitAMessage) {
  Record record;
  record.host.assign(1U << 20U, 'h');
  record.path.assign(1U << 20U, 'p');
  record.reason.assign(1U << 20U, 'r');
  const std::string bytes = encode(FromGateway(record));
  EXPECT_LT(bytes.size(), kMaxMessageBytes);
  EXPECT_TRUE(decode_from_gateway(bytes));
}

TEST(GatewayWire, UnknownKindsAndValuesAreRefused) {
  EXPECT_FALSE(decode_to_gateway(""));
  EXPECT_FALSE(decode_to_gateway("\x7f"));
  std::string offer = encode(ToGateway(ListenerOffer{}));
  offer[1] = 99;  // the role
  EXPECT_FALSE(decode_to_gateway(offer));
  EXPECT_FALSE(decode_from_gateway("\x7f"));
}

}  // namespace
}  // namespace ward::egress
