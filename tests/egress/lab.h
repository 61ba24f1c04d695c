// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A gateway and everything around it, without a sandbox: the real program, the test as its
// supervisor, listening sockets on loopback in place of those inside, servers of the test's own as
// the internet, and a name server that says where they are. In a network namespace of the test's
// own, so that any port can be bound by anybody and nothing outside is ever reached.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "egress/client.h"

namespace ward::test {

// Puts the process into user and network namespaces of its own, loopback up. Before any thread.
void enter_own_network();

// A TCP socket bound to address:port (0: any) and listening.
UniqueFd listen_at(const std::string& address, std::uint16_t port);
std::uint16_t port_of(int socket);
// Connected, with a deadline of 20 s on reads.
UniqueFd connect_to(const std::string& address, std::uint16_t port);

void send_text(int socket, std::string_view text);
// Until `size` bytes came, or the end.
std::string receive(int socket, std::size_t size);
// Until the end; "RESET" where the connection was reset.
std::string receive_all(int socket);
// Until a head is complete, and no further byte.
std::string receive_head(int socket);

// Serves each connection in a thread of its own.
class Server {
 public:
  using Serve = std::function<void(int connection)>;
  Server(const std::string& address, std::uint16_t port, Serve serve);
  ~Server();
  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void accept_all();
  UniqueFd socket_;
  std::uint16_t port_;
  Serve serve_;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::vector<int> open_;
  std::thread acceptor_;
};

// Says back what it reads, until the end.
void echo(int connection);

// Answers A and AAAA questions from a table; NXDOMAIN for anything else.
class NameServer {
 public:
  NameServer();
  ~NameServer();
  std::string address() const;
  void set(const std::string& name, std::vector<std::string> addresses);
  // What was asked, in order.
  std::vector<std::string> asked();

 private:
  void serve();
  UniqueFd socket_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> table_;
  std::vector<std::string> asked_;
  std::thread thread_;
};

policy::HostRule rule(std::string host, std::optional<std::uint16_t> port = std::nullopt);

// A running gateway. Its first three listeners: an HTTP proxy, SOCKS5, DNS over UDP.
class Gateway {
 public:
  explicit Gateway(egress::GatewaySpec spec);

  std::uint16_t http_port() const { return http_port_; }
  std::uint16_t socks_port() const { return socks_port_; }
  std::uint16_t dns_port() const { return dns_port_; }
  egress::GatewayClient& client() { return client_; }

  // A listening socket that stands for `name` (or the address) at `port`; the port it really has.
  std::uint16_t offer(egress::ListenerRole role, const std::string& name, std::uint16_t port);

  // The next message of this type, keeping the others for later; fails the test after 20 s.
  template <class T>
  T next() {
    for (;;) {
      for (auto at = kept_.begin(); at != kept_.end(); ++at) {
        if (auto* found = std::get_if<T>(&*at)) {
          T message = std::move(*found);
          kept_.erase(at);
          return message;
        }
      }
      if (!wait_for_more()) return T();
    }
  }
  egress::Record record() { return next<egress::Record>(); }
  // Waits until the gateway is gone.
  bool ended();

 private:
  bool wait_for_more();

  egress::GatewayClient client_;
  std::deque<egress::FromGateway> kept_;
  bool closed_ = false;
  std::uint16_t http_port_ = 0, socks_port_ = 0, dns_port_ = 0;
};

// The program under test.
std::string gateway_binary();

// "CONNECT HOST:PORT" through the proxy; the connection after a 200, and its answer.
struct Tunnel {
  UniqueFd socket;
  std::string head;
  std::string body;  // where it is not 200
};
Tunnel connect_through(std::uint16_t proxy, const std::string& target);

// A TLS hello for this name; "" leaves the extension out.
std::string client_hello(const std::string& name);

// A gateway that may reach up.test, which leads to loopback. Loopback is therefore listed as an
// address, too.
class GatewayTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void start() { gateway_ = std::make_unique<Gateway>(spec_); }
  Gateway& gateway() { return *gateway_; }

  std::unique_ptr<NameServer> names_;
  egress::GatewaySpec spec_;
  std::unique_ptr<Gateway> gateway_;
};

}  // namespace ward::test
