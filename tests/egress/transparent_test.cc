// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>

#include "egress/lab.h"
#include "support/needs.h"

namespace ward::test {
namespace {

using egress::ListenerRole;
using egress::NeedListener;
using egress::Record;
using egress::RecordVerdict;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using std::string_literals::operator""s;

class Transparent : public GatewayTest {
 protected:
  // Sends a question to the gateway's resolver.
  UniqueFd question(const std::string& labels, char type) {
    UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const struct timeval patience = {20, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(gateway().dns_port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    send_text(socket.get(), "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"s + labels + "\0\0"s +
                                type + "\0\1"s);
    return socket;
  }
  static std::string answer(const UniqueFd& socket) {
    std::array<char, 1500> packet = {};
    const ssize_t size = ::recv(socket.get(), packet.data(), packet.size(), 0);
    return {packet.data(), static_cast<std::size_t>(size > 0 ? size : 0)};
  }
  static int code(const std::string& packet) { return packet.size() > 3 ? packet[3] & 0xf : -1; }

  const std::string up_ = "\x02up\x04test"s;
};

TEST_F(Transparent, AnAllowedNameGetsAnAddressOnceSomethingListensThere) {
  start();
  const UniqueFd asking = question(up_, 1);
  std::vector<std::uint16_t> ports;
  for (int i = 0; i < 3; ++i) {
    const auto need = gateway().next<NeedListener>();
    EXPECT_EQ(need.name, "up.test");
    EXPECT_EQ(need.address, "198.18.1.0");
    ports.push_back(need.port);
    const UniqueFd socket = listen_at("127.0.0.1", 0);
    ASSERT_TRUE(gateway().client().offer(
        {ListenerRole::transparent, need.name, need.address, need.port}, socket.get()));
  }
  EXPECT_THAT(ports, ::testing::ElementsAre(80, 443, 7000));
  const std::string packet = answer(asking);
  EXPECT_EQ(code(packet), 0);
  EXPECT_THAT(packet, ::testing::EndsWith("\x00\x04\xc6\x12\x01\x00"s));
  EXPECT_THAT(answer(question(up_, 1)), ::testing::EndsWith("\x00\x04\xc6\x12\x01\x00"s));
  EXPECT_TRUE(names_->asked().empty()) << "the name is resolved when something connects";
}

TEST_F(Transparent, Ipv6NamesHaveATwinAndNoneWhereNothingCanListen) {
  start();
  const UniqueFd asking = question(up_, 28);
  for (int i = 0; i < 3; ++i) {
    const auto need = gateway().next<NeedListener>();
    EXPECT_EQ(need.address, "fd57:6172:64::1:0");
    ASSERT_TRUE(gateway().client().refuse({need.address, need.port, "no IPv6 here"}));
  }
  const std::string packet = answer(asking);
  EXPECT_EQ(code(packet), 0);
  EXPECT_EQ(packet.substr(6, 2), "\0\0"s) << "no address, and no error";
}

TEST_F(Transparent, ANameThatIsNotAllowedIsRefusedRecordedAndNeverForwarded) {
  start();
  EXPECT_EQ(code(answer(question("\x06secret\x04"
                                 "data\x04"
                                 "evil\x04test"s,
                                 1))),
            3);
  const Record record = gateway().record();
  EXPECT_EQ(record.kind, egress::RecordKind::question);
  EXPECT_EQ(record.host, "secret.data.evil.test");
  EXPECT_EQ(record.verdict, RecordVerdict::denied);
  EXPECT_EQ(record.rule, "the default: no host can be reached");
  EXPECT_EQ(code(answer(question("\x06secret\x04"
                                 "evil\x04test"s,
                                 16))),
            3)
      << "TXT";
  EXPECT_EQ(code(answer(question(up_, 16))), 0) << "TXT of an allowed name: nothing";
  EXPECT_EQ(code(answer(question(up_, 65))), 0) << "HTTPS of an allowed name: nothing";
  EXPECT_TRUE(names_->asked().empty());
}

TEST_F(Transparent, NamesBeyondWhatCanListenAreAnsweredWithAnErrorAndRecorded) {
  const struct rlimit few = {600, 600};  // 150 for names
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  spec_.network.allow = {rule("*.wild.test", 7000)};
  start();
  for (int i = 0; i < 150; ++i) {
    const std::string label = std::to_string(1000 + i);
    const UniqueFd asking = question("\x04" + label + "\x04wild\x04test", 1);
    const auto need = gateway().next<NeedListener>();
    EXPECT_EQ(need.name, label + ".wild.test");
    const UniqueFd socket = listen_at("127.0.0.1", 0);
    ASSERT_TRUE(gateway().client().offer(
        {ListenerRole::transparent, need.name, need.address, need.port}, socket.get()));
    EXPECT_EQ(code(answer(asking)), 0);
  }
  EXPECT_EQ(code(answer(question("\x05later\x04wild\x04test"s, 1))), 2);
  EXPECT_EQ(gateway().record().reason, "no descriptors are left for more names");
  EXPECT_EQ(code(answer(question("\x04"
                                 "1000\x04wild\x04test"s,
                                 1))),
            0)
      << "as before";
}

TEST_F(Transparent, AConnectionReachesTheNameItsAddressStandsFor) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const std::uint16_t port = gateway().offer(ListenerRole::transparent, "up.test", 7000);
  {
    const UniqueFd socket = connect_to("127.0.0.1", port);
    send_text(socket.get(), "hello\n");
    EXPECT_EQ(receive(socket.get(), 6), "hello\n");
  }
  const Record record = gateway().record();
  EXPECT_EQ(record.protocol, egress::Protocol::transparent);
  EXPECT_EQ(record.host, "up.test");
  EXPECT_EQ(record.port, 7000);
  EXPECT_EQ(record.verdict, RecordVerdict::allowed);
}

TEST_F(Transparent, PlainHttpMustNameTheHostAndIsOneRequest) {
  start();
  std::mutex mutex;
  std::vector<std::string> heads;
  const Server server("127.0.0.1", 80, [&](int connection) {
    const std::string head = receive_head(connection);
    if (head.empty()) return;  // nothing was said to it
    send_text(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const std::lock_guard lock(mutex);
    heads.push_back(head);
  });
  const std::uint16_t port = gateway().offer(ListenerRole::transparent, "up.test", 80);
  UniqueFd socket = connect_to("127.0.0.1", port);
  send_text(socket.get(), "GET /x HTTP/1.1\r\nHost: up.test\r\n\r\n");
  EXPECT_THAT(receive_all(socket.get()), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(gateway().record().verdict, RecordVerdict::allowed);
  for (const char* request :
       {"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", "GET / HTTP/1.1\r\nHost: up.test:81\r\n\r\n",
        "GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n",
        "CONNECT up.test:443 HTTP/1.1\r\nHost: up.test:443\r\n\r\n"}) {
    socket = connect_to("127.0.0.1", port);
    send_text(socket.get(), request);
    EXPECT_THAT(receive_all(socket.get()), StartsWith("HTTP/1.1 403 ")) << request;
    EXPECT_EQ(gateway().record().rule, "the check of names");
  }
  EXPECT_EQ(heads.size(), 1U);
}

TEST_F(Transparent, TlsMustNameTheHost) {
  start();
  const Server server("127.0.0.1", 443, echo);
  const std::uint16_t port = gateway().offer(ListenerRole::transparent, "up.test", 443);
  UniqueFd socket = connect_to("127.0.0.1", port);
  send_text(socket.get(), client_hello("up.test"));
  EXPECT_EQ(receive(socket.get(), client_hello("up.test").size()), client_hello("up.test"));
  socket = connect_to("127.0.0.1", port);
  send_text(socket.get(), client_hello("other.test"));
  EXPECT_EQ(receive_all(socket.get()), "\x15\x03\x03\x00\x02\x02\x31"s);
}

TEST_F(Transparent, ARefusedConnectionIsReset) {
  start();
  const std::uint16_t port = gateway().offer(ListenerRole::transparent, "gone.test", 443);
  EXPECT_EQ(receive_all(connect_to("127.0.0.1", port).get()), "RESET");
  EXPECT_EQ(gateway().record().verdict, RecordVerdict::denied);
  EXPECT_TRUE(names_->asked().empty());
}

TEST_F(Transparent, ALiteralAddressIsReachedWhereItIsListed) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const std::uint16_t listed = gateway().offer(ListenerRole::literal, "127.0.0.1", 7000);
  const UniqueFd socket = connect_to("127.0.0.1", listed);
  send_text(socket.get(), client_hello(""));
  EXPECT_EQ(receive(socket.get(), client_hello("").size()), client_hello(""));
  const std::uint16_t unlisted = gateway().offer(ListenerRole::literal, "127.0.0.1", 7001);
  EXPECT_EQ(receive_all(connect_to("127.0.0.1", unlisted).get()), "RESET");
}

TEST_F(Transparent, APortOfTheHostIsReachedWhereItIsLetIn) {
  const Server server("127.0.0.1", 0, echo);
  spec_.network.host_ports = {server.port()};
  start();
  const std::uint16_t port = gateway().offer(ListenerRole::host_port, "", server.port());
  {
    const UniqueFd socket = connect_to("127.0.0.1", port);
    send_text(socket.get(), "hello");
    EXPECT_EQ(receive(socket.get(), 5), "hello");
  }
  EXPECT_EQ(gateway().record().protocol, egress::Protocol::host_port);
  const std::uint16_t other = gateway().offer(ListenerRole::host_port, "", 1);
  EXPECT_EQ(receive_all(connect_to("127.0.0.1", other).get()), "RESET");
}

TEST_F(Transparent, APublishedPortGetsASocketFromInside) {
  start();
  const Server inside("127.0.0.1", 0, echo);
  const std::uint16_t port = gateway().offer(ListenerRole::publish, "", 3000);
  UniqueFd socket = connect_to("127.0.0.1", port);
  auto need = gateway().next<egress::NeedConnection>();
  EXPECT_EQ(need.port, 3000);
  ASSERT_TRUE(
      gateway().client().connect({need.id, ""}, connect_to("127.0.0.1", inside.port()).get()));
  send_text(socket.get(), "hello");
  EXPECT_EQ(receive(socket.get(), 5), "hello");
  socket = connect_to("127.0.0.1", port);
  need = gateway().next<egress::NeedConnection>();
  ASSERT_TRUE(gateway().client().connect({need.id, "nobody listens"}, -1));
  EXPECT_EQ(receive_all(socket.get()), "RESET");
}

}  // namespace
}  // namespace ward::test
