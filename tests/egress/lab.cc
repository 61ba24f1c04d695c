// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/lab.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cstring>

#include "egress/address.h"
#include "support/big_endian.h"
#include "support/needs.h"
#include "support/paths.h"
#include "sys/file.h"
#include "sys/raw.h"

namespace ward::test {

namespace {

constexpr int kPatienceMs = 20000;

sockaddr_storage socket_address(const std::string& text, std::uint16_t port, socklen_t& size) {
  sockaddr_storage storage = {};
  if (text.find(':') != std::string::npos) {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    ::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr);
    size = sizeof *v6;
  } else {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    ::inet_pton(AF_INET, text.c_str(), &v4->sin_addr);
    size = sizeof *v4;
  }
  return storage;
}

UniqueFd bound(int type, const std::string& address, std::uint16_t port) {
  socklen_t size = 0;
  const sockaddr_storage to = socket_address(address, port, size);
  UniqueFd socket(::socket(to.ss_family, type | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&to), size), 0)
      << address << ":" << port << ": " << std::strerror(errno);
  return socket;
}

}  // namespace

void enter_own_network() {
  const uid_t uid = ::getuid();
  const gid_t gid = ::getgid();
  ASSERT_EQ(::unshare(CLONE_NEWUSER | CLONE_NEWNET), 0) << std::strerror(errno);
  ASSERT_TRUE(sys::write_kernel_file("/proc/self/setgroups", "deny"));
  ASSERT_TRUE(sys::write_kernel_file("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1"));
  ASSERT_TRUE(sys::write_kernel_file("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1"));
  ASSERT_EQ(sys::raw::loopback_up(), 0);
}

UniqueFd listen_at(const std::string& address, std::uint16_t port) {
  UniqueFd socket = bound(SOCK_STREAM, address, port);
  EXPECT_EQ(::listen(socket.get(), 4096), 0);
  return socket;
}

std::uint16_t port_of(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

UniqueFd connect_to(const std::string& address, std::uint16_t port) {
  socklen_t size = 0;
  const sockaddr_storage to = socket_address(address, port, size);
  UniqueFd socket(::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const struct timeval patience = {kPatienceMs / 1000, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), size) != 0) socket.reset();
  return socket;
}

void send_text(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::string receive(int socket, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::recv(socket, bytes.data() + done, size - done, 0);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::string receive_all(int socket) {
  std::string bytes;
  std::array<char, 65536> part = {};
  for (;;) {
    const ssize_t got = ::recv(socket, part.data(), part.size(), 0);
    if (got < 0 && errno == ECONNRESET) return bytes + "RESET";
    if (got < 0) return bytes + "ERROR " + std::strerror(errno);
    if (got == 0) return bytes;
    bytes.append(part.data(), static_cast<std::size_t>(got));
  }
}

std::string receive_head(int socket) {
  std::string bytes;
  while (!bytes.ends_with("\r\n\r\n")) {
    const std::string one = receive(socket, 1);
    if (one.empty()) break;
    bytes += one;
  }
  return bytes;
}

Server::Server(const std::string& address, std::uint16_t port, Serve serve)
    : socket_(listen_at(address, port)),
      port_(port_of(socket_.get())),
      serve_(std::move(serve)),
      acceptor_([this] { accept_all(); }) {}

Server::~Server() {
  ::shutdown(socket_.get(), SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int fd : open_) ::close(fd);
}

void Server::accept_all() {
  for (;;) {
    const int fd = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] {
      serve_(fd);
      ::shutdown(fd, SHUT_RDWR);
    });
  }
}

void echo(int connection) {
  std::array<char, 65536> part = {};
  for (;;) {
    const ssize_t got = ::recv(connection, part.data(), part.size(), 0);
    if (got <= 0) return;
    send_text(connection, std::string_view(part.data(), static_cast<std::size_t>(got)));
  }
}

NameServer::NameServer()
    : socket_(bound(SOCK_DGRAM, "127.0.0.1", 0)), thread_([this] { serve(); }) {}

NameServer::~NameServer() {
  // A datagram of nothing tells the thread to end.
  socklen_t size = 0;
  const sockaddr_storage to = socket_address("127.0.0.1", port_of(socket_.get()), size);
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ::sendto(socket.get(), "", 0, 0, reinterpret_cast<const sockaddr*>(&to), size);
  thread_.join();
}

std::string NameServer::address() const {
  return "127.0.0.1:" + std::to_string(port_of(socket_.get()));
}

void NameServer::set(const std::string& name, std::vector<std::string> addresses) {
  const std::lock_guard lock(mutex_);
  table_[name] = std::move(addresses);
}

std::vector<std::string> NameServer::asked() {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void NameServer::serve() {
  for (;;) {
    std::array<char, 1500> packet = {};
    sockaddr_storage from = {};
    socklen_t from_size = sizeof from;
    const ssize_t size = ::recvfrom(socket_.get(), packet.data(), packet.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from), &from_size);
    if (size < 12) return;
    std::string name;
    std::size_t at = 12;
    while (packet[at] != 0) {
      const auto length = static_cast<std::size_t>(packet[at]);
      name += (name.empty() ? "" : ".") + std::string(packet.data() + at + 1, length);
      at += length + 1;
    }
    const char type = packet[at + 2];
    const std::string question(packet.data() + 12, at + 5 - 12);
    const std::lock_guard lock(mutex_);
    asked_.push_back(name);
    const auto found = table_.find(name);
    std::string answers;
    std::size_t count = 0;
    if (found != table_.end()) {
      for (const std::string& text : found->second) {
        const auto address = egress::parse_address(text);
        const bool v4 = address->family == egress::Address::Family::v4;
        if ((type == 1) != v4) continue;
        answers +=
            "\xc0\x0c" + number(v4 ? 1 : 28, 2) + number(1, 2) + number(0, 4) +
            counted(std::string(address->bytes.begin(), address->bytes.begin() + (v4 ? 4 : 16)), 2);
        ++count;
      }
    }
    const std::string answer = std::string(packet.data(), 2) +
                               number(found == table_.end() ? 0x8183 : 0x8180, 2) + number(1, 2) +
                               number(count, 2) + number(0, 4) + question + answers;
    ::sendto(socket_.get(), answer.data(), answer.size(), 0,
             reinterpret_cast<const sockaddr*>(&from), from_size);
  }
}

policy::HostRule rule(std::string host, std::optional<std::uint16_t> port) {
  return {std::move(host), port, {"ward.yaml", 7, policy::Scope::user}};
}

std::string gateway_binary() {
  const std::string ward = ward_binary();
  return ward.substr(0, ward.rfind('/')) + "/ward-gateway";
}

Gateway::Gateway(egress::GatewaySpec spec)
    : client_(std::move(*egress::GatewayClient::start(gateway_binary(), spec))) {
  http_port_ = offer(egress::ListenerRole::http_proxy, "", 3128);
  socks_port_ = offer(egress::ListenerRole::socks, "", 1080);
  const UniqueFd dns = bound(SOCK_DGRAM, "127.0.0.1", 0);
  dns_port_ = port_of(dns.get());
  EXPECT_TRUE(client_.offer({egress::ListenerRole::dns, "", "127.0.0.1", 53}, dns.get()));
}

std::uint16_t Gateway::offer(egress::ListenerRole role, const std::string& name,
                             std::uint16_t port) {
  const UniqueFd socket = listen_at("127.0.0.1", 0);
  const bool named = role == egress::ListenerRole::transparent;
  EXPECT_TRUE(client_.offer({role, named ? name : "", named ? "" : name, port}, socket.get()));
  return port_of(socket.get());
}

bool Gateway::wait_for_more() {
  if (closed_) {
    ADD_FAILURE() << "the gateway is gone";
    return false;
  }
  for (;;) {
    auto received = client_.receive();
    if (!received) {
      ADD_FAILURE() << received.error().describe();
      return false;
    }
    if (*received && std::holds_alternative<egress::GatewayClient::Closed>(**received)) {
      closed_ = true;
      ADD_FAILURE() << "the gateway is gone";
      return false;
    }
    if (*received) {
      auto message = std::get<egress::FromGateway>(std::move(**received));
      if (const auto* failed = std::get_if<egress::Failed>(&message))
        ADD_FAILURE() << "the gateway failed: " << failed->error;
      kept_.push_back(std::move(message));
      return true;
    }
    struct pollfd item = {client_.channel(), POLLIN, 0};
    if (::poll(&item, 1, kPatienceMs) == 0) {
      ADD_FAILURE() << "the gateway says nothing";
      return false;
    }
  }
}

bool Gateway::ended() {
  for (;;) {
    auto received = client_.receive();
    if (!received) return false;
    if (*received && std::holds_alternative<egress::GatewayClient::Closed>(**received)) return true;
    struct pollfd item = {client_.channel(), POLLIN, 0};
    if (!*received && ::poll(&item, 1, kPatienceMs) == 0) return false;
  }
}

Tunnel connect_through(std::uint16_t proxy, const std::string& target) {
  Tunnel tunnel;
  tunnel.socket = connect_to("127.0.0.1", proxy);
  send_text(tunnel.socket.get(), "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  tunnel.head = receive_head(tunnel.socket.get());
  if (!tunnel.head.starts_with("HTTP/1.1 200 ")) tunnel.body = receive_all(tunnel.socket.get());
  return tunnel;
}

std::string client_hello(const std::string& name) {
  const std::string extension =
      name.empty() ? number(10, 2) + counted("xx", 2)
                   : number(0, 2) + counted(counted(number(0, 1) + counted(name, 2), 2), 2);
  const std::string body = number(0x0303, 2) + std::string(32, 'r') + counted("", 1) +
                           counted(number(0x1301, 2), 2) + counted(number(0, 1), 1) +
                           counted(extension, 2);
  return number(22, 1) + number(0x0301, 2) + counted(number(1, 1) + counted(body, 3), 2);
}

void GatewayTest::SetUp() {
  NEEDS(user_namespaces, landlock_abi >= 1);
  enter_own_network();
  names_ = std::make_unique<NameServer>();
  names_->set("up.test", {"127.0.0.1"});
  spec_.name_servers = {names_->address()};
  spec_.network.allow = {rule("up.test"), rule("up.test", 7000), rule("127.0.0.1"),
                         rule("127.0.0.1", 7000)};
}

}  // namespace ward::test
