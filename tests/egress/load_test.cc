// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "egress/lab.h"
#include "support/needs.h"

namespace ward::test {
namespace {

using egress::Record;
using egress::RecordVerdict;
using ::testing::StartsWith;

class Load : public ::testing::Test {
 protected:
  void SetUp() override {
    NEEDS(user_namespaces, landlock_abi >= 1);
    enter_own_network();
    spec_.network.allow = {rule("127.0.0.1", 7000), rule("127.0.0.1", 7001)};
  }
  void start() { gateway_ = std::make_unique<Gateway>(spec_); }
  Gateway& gateway() { return *gateway_; }
  UniqueFd open_tunnel(std::uint16_t port = 7000) {
    Tunnel tunnel = connect_through(gateway().http_port(), "127.0.0.1:" + std::to_string(port));
    EXPECT_THAT(tunnel.head, StartsWith("HTTP/1.1 200 "));
    return std::move(tunnel.socket);
  }
  static void set_descriptors(rlim_t count) {
    const struct rlimit limit = {count, count};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  }

  egress::GatewaySpec spec_;
  std::unique_ptr<Gateway> gateway_;
};

TEST_F(Load, AThousandConnectionsAtOnce) {
  struct rlimit limit = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < 8192)
    GTEST_SKIP() << "needs descriptors: 8192, and may have " << limit.rlim_max;
  set_descriptors(limit.rlim_max);
  start();
  const Server server("127.0.0.1", 7000, echo);
  std::vector<UniqueFd> tunnels;
  for (int i = 0; i < 1000; ++i) tunnels.push_back(open_tunnel());
  for (std::size_t i = 0; i < tunnels.size(); ++i)
    send_text(tunnels[i].get(), "message " + std::to_string(1000 + i));
  for (std::size_t i = 0; i < tunnels.size(); ++i)
    EXPECT_EQ(receive(tunnels[i].get(), 12), "message " + std::to_string(1000 + i));
  tunnels.clear();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(gateway().record().bytes_up, 12U);
}

TEST_F(Load, AKilledGatewayClosesEverythingAndTheNextOneWorks) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  std::vector<UniqueFd> tunnels;
  for (int i = 0; i < 200; ++i) tunnels.push_back(open_tunnel());
  const std::uint16_t port = gateway().http_port();
  ASSERT_EQ(::kill(gateway().client().pid(), SIGKILL), 0);
  for (const UniqueFd& tunnel : tunnels)
    EXPECT_THAT(receive_all(tunnel.get()), ::testing::AnyOf("", "RESET"));
  EXPECT_TRUE(gateway().ended());
  EXPECT_FALSE(connect_to("127.0.0.1", port).valid());
  start();
  const UniqueFd tunnel = open_tunnel();
  send_text(tunnel.get(), "again");
  EXPECT_EQ(receive(tunnel.get(), 5), "again");
}

TEST_F(Load, AReaderThatDoesNotReadHoldsUpNobodyElse) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const Server source("127.0.0.1", 7001, [](int connection) {
    const std::string block(1U << 20U, 'x');
    for (int i = 0; i < 64; ++i) send_text(connection, block);
  });
  const UniqueFd stuck = open_tunnel(7001);
  EXPECT_EQ(receive(stuck.get(), 1), "x");  // its bytes are under way
  const UniqueFd quick = open_tunnel();
  for (int i = 0; i < 100; ++i) {
    send_text(quick.get(), "ping");
    ASSERT_EQ(receive(quick.get(), 4), "ping");
  }
  EXPECT_EQ(receive(stuck.get(), (64U << 20U) - 1).size(), (64U << 20U) - 1);
}

TEST_F(Load, ASlowHeadHoldsUpNobodyElse) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  std::vector<UniqueFd> slow;
  for (int i = 0; i < 50; ++i) {
    slow.push_back(connect_to("127.0.0.1", gateway().http_port()));
    send_text(slow.back().get(), "CONNECT 127.0.0.1:70");
  }
  const UniqueFd quick = open_tunnel();
  send_text(quick.get(), "ping");
  EXPECT_EQ(receive(quick.get(), 4), "ping");
  send_text(slow[0].get(), "00 HTTP/1.1\r\nHost: 127.0.0.1:7000\r\n\r\n");
  EXPECT_THAT(receive_head(slow[0].get()), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Load, AHalfClosedConnectionStillAnswers) {
  start();
  const Server server("127.0.0.1", 7000, [](int connection) {
    const std::string all = receive_all(connection);
    send_text(connection, std::to_string(all.size()));
  });
  const UniqueFd tunnel = open_tunnel();
  send_text(tunnel.get(), std::string(100000, 'x'));
  ::shutdown(tunnel.get(), SHUT_WR);
  EXPECT_EQ(receive_all(tunnel.get()), "100000");
}

TEST_F(Load, AResetIsPassedOnAsAReset) {
  start();
  const Server server("127.0.0.1", 7000, [](int connection) {
    receive(connection, 1);
    send_text(connection, "part");
    receive(connection, 1);
    const struct linger now = {1, 0};
    ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(::dup(connection));
    sockaddr disconnect = {};
    disconnect.sa_family = AF_UNSPEC;
    ::connect(connection, &disconnect, sizeof disconnect);
  });
  const UniqueFd tunnel = open_tunnel();
  send_text(tunnel.get(), "a");
  EXPECT_EQ(receive(tunnel.get(), 4), "part");
  send_text(tunnel.get(), "b");
  EXPECT_EQ(receive_all(tunnel.get()), "RESET");
}

TEST_F(Load, TooManyConnectionsAreRefusedAndRecordedAndOthersGoOn) {
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  set_descriptors(741);  // room for fifty
  start();
  const Server server("127.0.0.1", 7000, echo);
  std::vector<UniqueFd> tunnels;
  for (int i = 0; i < 50; ++i) tunnels.push_back(open_tunnel());
  const UniqueFd one_too_many = connect_to("127.0.0.1", gateway().http_port());
  EXPECT_EQ(receive_all(one_too_many.get()), "RESET");
  const Record record = gateway().record();
  EXPECT_EQ(record.verdict, RecordVerdict::denied);
  EXPECT_EQ(record.rule, "the limit of connections");
  send_text(tunnels[0].get(), "ping");
  EXPECT_EQ(receive(tunnels[0].get(), 4), "ping");
  tunnels.pop_back();
  (void)gateway().record();
  const UniqueFd next = open_tunnel();
  send_text(next.get(), "ping");
  EXPECT_EQ(receive(next.get(), 4), "ping");
}

TEST_F(Load, TheEndOfTheChannelClosesEverything) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const UniqueFd tunnel = open_tunnel();
  send_text(tunnel.get(), "ping");
  EXPECT_EQ(receive(tunnel.get(), 4), "ping");
  EXPECT_EQ(gateway().client().stop(std::chrono::seconds(20)), 0);
  EXPECT_THAT(receive_all(tunnel.get()), ::testing::AnyOf("", "RESET"));
}

TEST_F(Load, TheEndClosesEverythingAndTellsTheLastRecords) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const UniqueFd tunnel = open_tunnel();
  send_text(tunnel.get(), "ping");
  EXPECT_EQ(receive(tunnel.get(), 4), "ping");
  ASSERT_TRUE(gateway().client().end());
  const Record record = gateway().record();
  EXPECT_EQ(record.bytes_up, 4U);
  EXPECT_EQ(record.reason, "the sandbox ended");
  (void)gateway().next<egress::Ended>();
  EXPECT_TRUE(gateway().ended());
  EXPECT_EQ(gateway().client().stop(std::chrono::seconds(20)), 0);
}

}  // namespace
}  // namespace ward::test
