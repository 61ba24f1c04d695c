// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/lost_packets.h"

#include <gtest/gtest.h>

namespace ward::process {
namespace {

constexpr const char* kTables =
    "Ip: Forwarding DefaultTTL OutNoRoutes\nIp: 2 64 5\nUdp: InDatagrams NoPorts\nUdp: 7 9\n";

TEST(SnmpCounter, IsTheValueUnderItsNameInItsTable) {
  EXPECT_EQ(snmp_counter(kTables, "Ip:", "OutNoRoutes"), 5U);
  EXPECT_EQ(snmp_counter(kTables, "Udp:", "NoPorts"), 9U);
}

TEST(SnmpCounter, IsZeroWhereNothingHasThatName) {
  EXPECT_EQ(snmp_counter(kTables, "Ip:", "NoPorts"), 0U);
  EXPECT_EQ(snmp_counter(kTables, "Tcp:", "OutNoRoutes"), 0U);
  EXPECT_EQ(snmp_counter("Ip: OutNoRoutes\n", "Ip:", "OutNoRoutes"), 0U);
  EXPECT_EQ(snmp_counter("Ip: OutNoRoutes\nIp: many\n", "Ip:", "OutNoRoutes"), 0U);
  EXPECT_EQ(snmp_counter("", "Ip:", "OutNoRoutes"), 0U);
}

}  // namespace
}  // namespace ward::process
