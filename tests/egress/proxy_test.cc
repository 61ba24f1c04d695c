// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "egress/lab.h"
#include "support/needs.h"

namespace ward::test {
namespace {

using egress::Protocol;
using egress::Record;
using egress::RecordVerdict;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using std::string_literals::operator""s;

class Proxy : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) return;
    names_->set("other.test", {"127.0.0.1"});
  }
  std::string ask(const std::string& request) {
    const UniqueFd socket = connect_to("127.0.0.1", gateway().http_port());
    send_text(socket.get(), request);
    return receive_all(socket.get());
  }
};

TEST_F(Proxy, ConnectReachesAnAllowedHostAndIsRecorded) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  {
    const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
    EXPECT_THAT(tunnel.head, StartsWith("HTTP/1.1 200 "));
    send_text(tunnel.socket.get(), "hello");
    EXPECT_EQ(receive(tunnel.socket.get(), 5), "hello");
    ::shutdown(tunnel.socket.get(), SHUT_WR);
    EXPECT_EQ(receive_all(tunnel.socket.get()), "");
  }
  const Record record = gateway().record();
  EXPECT_EQ(record.verdict, RecordVerdict::allowed);
  EXPECT_EQ(record.protocol, Protocol::connect);
  EXPECT_EQ(record.host, "up.test");
  EXPECT_EQ(record.port, 7000);
  EXPECT_EQ(record.address, "127.0.0.1");
  EXPECT_EQ(record.bytes_up, 5U);
  EXPECT_EQ(record.bytes_down, 5U);
  EXPECT_EQ(record.rule, "allow up.test:7000 (ward.yaml:7)");
  EXPECT_EQ(record.reason, "");
}

TEST_F(Proxy, ADeniedHostIsAnsweredWithTheRuleAndTheRemedyAndNeverResolved) {
  start();
  const Tunnel tunnel = connect_through(gateway().http_port(), "secret-data.evil.test:443");
  EXPECT_THAT(tunnel.head, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(tunnel.head, HasSubstr("X-Ward-Denied: the default: no host can be reached\r\n"));
  EXPECT_EQ(tunnel.body,
            "secret-data.evil.test\n"
            "  connect to port 443: denied by the default: no host can be reached\n"
            "    because no rule of network.allow covers the host and port\n"
            "    to allow it, add \"secret-data.evil.test:443\" to network.allow\n");
  EXPECT_EQ(gateway().record().verdict, RecordVerdict::denied);
  EXPECT_TRUE(names_->asked().empty());
}

TEST_F(Proxy, ANameThatLeadsToAnUnlistedAddressIsRefused) {
  spec_.network.allow = {rule("up.test")};
  start();
  const Server server("127.0.0.1", 443, echo);
  for (const char* address : {"127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "::1",
                              "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fe80::1"}) {
    names_->set("up.test", {address});
    const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:443");
    EXPECT_THAT(tunnel.head, StartsWith("HTTP/1.1 403 ")) << address;
    const Record record = gateway().record();
    EXPECT_EQ(record.verdict, RecordVerdict::denied);
    EXPECT_EQ(record.rule, "the check of addresses");
    EXPECT_THAT(record.reason, HasSubstr("it leads to "));
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(Proxy, OnlyTheCheckedAddressIsDialled) {
  start();
  const Server good("127.0.0.1", 7000, echo);
  const Server bad("127.0.0.2", 7000, echo);
  names_->set("up.test", {"127.0.0.2", "127.0.0.1"});
  const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
  EXPECT_THAT(tunnel.head, StartsWith("HTTP/1.1 200 "));
  send_text(tunnel.socket.get(), "hello");
  EXPECT_EQ(receive(tunnel.socket.get(), 5), "hello");
  EXPECT_EQ(good.connections(), 1);
  EXPECT_EQ(bad.connections(), 0);
}

TEST_F(Proxy, ANameThatIsReboundIsCheckedAnew) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const Server inner("127.0.0.2", 7000, echo);
  EXPECT_THAT(connect_through(gateway().http_port(), "up.test:7000").head,
              StartsWith("HTTP/1.1 200 "));
  names_->set("up.test", {"127.0.0.2"});
  EXPECT_THAT(connect_through(gateway().http_port(), "up.test:7000").head,
              StartsWith("HTTP/1.1 403 "));
  EXPECT_EQ(inner.connections(), 0);
}

TEST_F(Proxy, ADenyOfAnAddressHoldsForANameThatLeadsThere) {
  spec_.network.deny = {rule("127.0.0.0/8")};
  start();
  const Server server("127.0.0.1", 7000, echo);
  const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
  EXPECT_THAT(tunnel.head, HasSubstr("X-Ward-Denied: deny 127.0.0.0/8 (ward.yaml:7)\r\n"));
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(Proxy, OddSpellingsOfAnAddressAreRefused) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  EXPECT_THAT(connect_through(gateway().http_port(), "127.0.0.1:7000").head,
              StartsWith("HTTP/1.1 200 "));
  for (const char* host : {"0x7f.0.0.1", "127.1", "2130706433", "0177.0.0.1", "[::1]", "0.0.0.0"})
    EXPECT_THAT(connect_through(gateway().http_port(), host + ":7000"s).head,
                ::testing::Not(StartsWith("HTTP/1.1 200 ")))
        << host;
  const Tunnel tunnel = connect_through(gateway().http_port(), "[::ffff:127.0.0.1]:7000");
  EXPECT_THAT(tunnel.head, StartsWith("HTTP/1.1 200 "));
  send_text(tunnel.socket.get(), "hello");
  EXPECT_EQ(receive(tunnel.socket.get(), 5), "hello");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(Proxy, OnPort443TheHelloMustNameTheHost) {
  start();
  const Server server("127.0.0.1", 443, echo);
  const std::string good = client_hello("UP.test");
  Tunnel tunnel = connect_through(gateway().http_port(), "up.test:443");
  send_text(tunnel.socket.get(), good);
  EXPECT_EQ(receive(tunnel.socket.get(), good.size()), good);
  tunnel.socket.reset();
  EXPECT_EQ(gateway().record().verdict, RecordVerdict::allowed);
  for (const std::string& bytes :
       {client_hello("other.test"), client_hello(""), "SSH-2.0-x\r\n"s, "GET key\r\n"s}) {
    tunnel = connect_through(gateway().http_port(), "up.test:443");
    send_text(tunnel.socket.get(), bytes);
    EXPECT_THAT(receive_all(tunnel.socket.get()),
                ::testing::AnyOf("\x15\x03\x03\x00\x02\x02\x31"s, "RESET"));
    const Record record = gateway().record();
    EXPECT_EQ(record.verdict, RecordVerdict::denied);
    EXPECT_EQ(record.rule, "the check of names");
    EXPECT_EQ(record.bytes_up, 0U);
  }
}

TEST_F(Proxy, AHelloInManyPartsIsAssembled) {
  start();
  const Server server("127.0.0.1", 443, echo);
  const std::string hello = client_hello("up.test");
  const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:443");
  for (const char c : hello) send_text(tunnel.socket.get(), std::string_view(&c, 1));
  EXPECT_EQ(receive(tunnel.socket.get(), hello.size()), hello);
}

TEST_F(Proxy, AServerMaySpeakFirstWhereItsPortIsNamed) {
  start();
  const Server server("127.0.0.1", 7000, [](int connection) {
    send_text(connection, "SSH-2.0-server\r\n");
    echo(connection);
  });
  const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
  EXPECT_EQ(receive(tunnel.socket.get(), 16), "SSH-2.0-server\r\n");
  send_text(tunnel.socket.get(), "SSH-2.0-client\r\n");
  EXPECT_EQ(receive(tunnel.socket.get(), 16), "SSH-2.0-client\r\n");
}

TEST_F(Proxy, ATlsHelloToANamedPortMustNameTheHostToo) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
  send_text(tunnel.socket.get(), client_hello("other.test"));
  EXPECT_EQ(receive_all(tunnel.socket.get()), "\x15\x03\x03\x00\x02\x02\x31"s);
  EXPECT_THAT(gateway().record().reason, HasSubstr("names other.test, not up.test"));
}

TEST_F(Proxy, ACommandInsideATunnelIsReadAsHttp) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  for (const char* request : {"CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n",
                              "GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n"}) {
    const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
    send_text(tunnel.socket.get(), request);
    EXPECT_THAT(receive_all(tunnel.socket.get()), StartsWith("HTTP/1.1 403 ")) << request;
    EXPECT_EQ(gateway().record().verdict, RecordVerdict::denied);
  }
}

// What one connection of an upstream got, and a fixed answer.
struct Site {
  std::mutex mutex;
  std::vector<std::string> got;
  void serve(int connection) {
    std::string head = receive_head(connection);
    const std::size_t at = head.find("Content-Length: ");
    if (at != std::string::npos) head += receive(connection, std::stoul(head.substr(at + 16)));
    if (head.find("chunked") != std::string::npos)
      while (!head.ends_with("0\r\n\r\n")) head += receive(connection, 1);
    {
      const std::lock_guard lock(mutex);
      got.push_back(head);
    }
    send_text(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    // The client's side of a connection that stays open must end it all the same.
  }
};

TEST_F(Proxy, AbsoluteFormIsForwardedInOriginFormOneRequestAConnection) {
  start();
  Site site;
  const Server server("127.0.0.1", 80, [&](int connection) { site.serve(connection); });
  const std::string answer = ask(
      "POST http://up.test/a?b HTTP/1.1\r\nHost: up.test\r\nProxy-Connection: keep-alive\r\n"
      "Content-Length: 3\r\n\r\nabcGET http://up.test/second HTTP/1.1\r\nHost: up.test\r\n\r\n");
  EXPECT_EQ(answer, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  ASSERT_EQ(site.got.size(), 1U);
  EXPECT_EQ(site.got[0],
            "POST /a?b HTTP/1.1\r\nHost: up.test\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
            "abc");
  const Record record = gateway().record();
  EXPECT_EQ(record.kind, egress::RecordKind::request);
  EXPECT_EQ(record.method, "POST");
  EXPECT_EQ(record.path, "/a");
  EXPECT_EQ(record.verdict, RecordVerdict::allowed);
}

TEST_F(Proxy, AChunkedBodyIsForwardedToItsEndAndNoFurther) {
  start();
  Site site;
  const Server server("127.0.0.1", 80, [&](int connection) { site.serve(connection); });
  const UniqueFd socket = connect_to("127.0.0.1", gateway().http_port());
  send_text(socket.get(),
            "POST http://up.test/ HTTP/1.1\r\nHost: up.test\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char* part : {"3\r\nabc", "\r\n2\r\nde\r\n", "0\r\n\r\nGET /smuggled HTTP/1.1\r\n"})
    send_text(socket.get(), part);
  EXPECT_THAT(receive_all(socket.get()), StartsWith("HTTP/1.1 200 OK"));
  ASSERT_EQ(site.got.size(), 1U);
  EXPECT_THAT(site.got[0], ::testing::EndsWith("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
}

TEST_F(Proxy, AmbiguousRequestsAreRefusedAndReachNobody) {
  start();
  Site site;
  const Server server("127.0.0.1", 80, [&](int connection) { site.serve(connection); });
  const std::string post = "POST http://up.test/ HTTP/1.1\r\nHost: up.test\r\n";
  for (const std::string& request :
       {post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
        post + "Transfer-Encoding: xchunked\r\n\r\n", post + "X: a\r\n b\r\n\r\n",
        "GET http://up.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: up.test\r\n\r\n"s, "GET http://up.test/ HTTP/1.1\r\n\r\n"s,
        "\x16\x03\x01\r\n\r\n"s}) {
    EXPECT_THAT(ask(request), StartsWith("HTTP/1.1 400 ")) << request;
    EXPECT_EQ(gateway().record().verdict, RecordVerdict::denied);
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(Proxy, AHugeHeadIsRefused) {
  start();
  EXPECT_THAT(ask("GET http://up.test/" + std::string(100000, 'a')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(Proxy, APlainRequestToADeniedHostIsAnsweredAlike) {
  start();
  const std::string answer = ask("GET http://evil.test/x HTTP/1.1\r\nHost: evil.test\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 Forbidden\r\n"));
  EXPECT_THAT(answer, HasSubstr("add \"evil.test:80\" to network.allow\n"));
  const Record record = gateway().record();
  EXPECT_EQ(record.verdict, RecordVerdict::denied);
  EXPECT_EQ(record.path, "/x");
}

TEST_F(Proxy, Ipv6IsReachedAndRefusedAlike) {
  names_->set("up.test", {"::1"});
  spec_.network.allow = {rule("up.test", 7000), rule("::1", 7000), rule("fd00::/8", 7000)};
  start();
  const Server server("::1", 7000, echo);
  for (const char* target : {"up.test:7000", "[::1]:7000", "[0:0:0:0:0:0:0:1]:7000"}) {
    const Tunnel tunnel = connect_through(gateway().http_port(), target);
    EXPECT_THAT(tunnel.head, StartsWith("HTTP/1.1 200 ")) << target;
    send_text(tunnel.socket.get(), "hello");
    EXPECT_EQ(receive(tunnel.socket.get(), 5), "hello");
  }
  for (const char* target : {"[::1]:7001", "[fe80::1]:7000", "[::]:7000", "[fe80::1%25lo]:7000"})
    EXPECT_THAT(connect_through(gateway().http_port(), target).head,
                ::testing::Not(StartsWith("HTTP/1.1 200 ")))
        << target;
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(Proxy, AServerThatGivesUpOnASilentClientGetsNothingUnseen) {
  start();
  const Server server("127.0.0.1", 7000, [](int) {});
  const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
  EXPECT_EQ(receive_all(tunnel.socket.get()), "RESET");
}

TEST_F(Proxy, AnUpstreamThatIsNotThereIsABadGateway) {
  start();
  EXPECT_THAT(connect_through(gateway().http_port(), "up.test:7000").head,
              StartsWith("HTTP/1.1 502 "));
  Record record = gateway().record();
  EXPECT_EQ(record.verdict, RecordVerdict::failed);
  EXPECT_EQ(record.reason, "connect: Connection refused");
  names_->set("up.test", {});
  EXPECT_THAT(connect_through(gateway().http_port(), "up.test:7000").head,
              StartsWith("HTTP/1.1 502 "));
  EXPECT_EQ(gateway().record().verdict, RecordVerdict::failed);
}

TEST_F(Proxy, AWebSocketGoesOnAfterItsUpgrade) {
  start();
  const Server server("127.0.0.1", 80, [](int connection) {
    receive_head(connection);
    send_text(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
    echo(connection);
  });
  const UniqueFd socket = connect_to("127.0.0.1", gateway().http_port());
  send_text(socket.get(),
            "GET http://up.test/ HTTP/1.1\r\nHost: up.test\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\n\r\n");
  EXPECT_THAT(receive_head(socket.get()), StartsWith("HTTP/1.1 101 "));
  send_text(socket.get(), "frame");
  EXPECT_EQ(receive(socket.get(), 5), "frame");
}

TEST_F(Proxy, SocksReachesAnAllowedHostAndRefusesOthers) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const auto ask_socks = [&](const std::string& request) {
    UniqueFd socket = connect_to("127.0.0.1", gateway().socks_port());
    send_text(socket.get(), "\x05\x01\x00"s);
    EXPECT_EQ(receive(socket.get(), 2), "\x05\x00"s);
    send_text(socket.get(), request);
    const std::string reply = receive(socket.get(), 10);
    EXPECT_EQ(reply.size(), 10U);
    return std::pair(std::move(socket), reply.size() > 1 ? static_cast<int>(reply[1]) : -1);
  };
  {
    auto [socket, code] = ask_socks("\x05\x01\x00\x03\x07up.test\x1b\x58"s);
    EXPECT_EQ(code, 0);
    send_text(socket.get(), "hello");
    EXPECT_EQ(receive(socket.get(), 5), "hello");
  }
  EXPECT_EQ(gateway().record().protocol, Protocol::socks5);
  EXPECT_EQ(ask_socks("\x05\x01\x00\x03\x09"
                      "evil.test\x01\xbb"s)
                .second,
            2);
  const Record record = gateway().record();
  EXPECT_EQ(record.verdict, RecordVerdict::denied);
  EXPECT_EQ(record.host, "evil.test");
  EXPECT_EQ(ask_socks("\x05\x01\x00\x01\x0a\x00\x00\x01\x01\xbb"s).second, 2);
  EXPECT_EQ(ask_socks("\x05\x03\x00\x01\x7f\x00\x00\x01\x1b\x58"s).second, 7);
}

TEST_F(Proxy, AReloadEndsWhatItDenies) {
  start();
  const Server server("127.0.0.1", 7000, echo);
  const Tunnel tunnel = connect_through(gateway().http_port(), "up.test:7000");
  send_text(tunnel.socket.get(), "a");
  EXPECT_EQ(receive(tunnel.socket.get(), 1), "a");
  egress::GatewaySpec denies = spec_;
  denies.network.deny = {rule("up.test")};
  ASSERT_TRUE(gateway().client().reconfigure(denies));
  EXPECT_EQ(gateway().next<egress::Reconfigured>().error, "");
  EXPECT_EQ(receive_all(tunnel.socket.get()), "");
  EXPECT_EQ(gateway().record().reason, "the policy was changed, and denies it now");
  EXPECT_THAT(connect_through(gateway().http_port(), "up.test:7000").head,
              StartsWith("HTTP/1.1 403 "));
}

}  // namespace
}  // namespace ward::test
