// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// TLS interception by Ward's gateway beside another intercepting proxy, between the same client and
// the same server on loopback: bytes a second over one connection, and new connections a second,
// each with one small request. `tls_bench GATEWAY PROXY_PORT CA_FILE PORT_FILE`: the server's
// authority is written to CA_FILE and its port to PORT_FILE, then a line on standard input, the
// other proxy's process id, starts the measurement (meanwhile the caller starts that proxy, which
// listens on PROXY_PORT). Prints a JSON object, with the processor time that each proxy took as
// well: on a machine with few processors the client and the server bound what can be seen of a fast
// proxy. The client takes large answers off the wire without decrypting them, which leaves it
// nearly out of the figure. Both proxies verify the server; the client verifies nobody, for both.
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "egress/client.h"
#include "egress/gateway/authority.h"
#include "loopback.h"
#include "sys/file.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 3, kClients = 8;
constexpr auto kConnectTime = std::chrono::seconds(2);
constexpr std::uint64_t kBytes = 256U << 20U;

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "tls_bench: %s\n", what.c_str());
  std::exit(1);
}

int listener(std::uint16_t& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = ward::bench::loopback(0);
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(fd, 1024) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    die("no listener");
  port = ntohs(address.sin_port);
  return fd;
}

int dial(std::uint16_t port) {
  ward::UniqueFd socket = ward::bench::dial(port);
  if (!socket.valid()) die("connect to port " + std::to_string(port));
  return socket.release();
}

// GET /N: N bytes.
void serve(SSL_CTX* context, int fd) {
  static const std::string kBlock(256U << 10U, 'x');
  SSL* ssl = ::SSL_new(context);
  ::SSL_set_fd(ssl, fd);
  std::string text;
  char buffer[4096];
  while (::SSL_is_init_finished(ssl) == 1 || ::SSL_accept(ssl) == 1) {
    const int size = ::SSL_read(ssl, buffer, sizeof buffer);
    if (size <= 0) break;
    text.append(buffer, static_cast<std::size_t>(size));
    if (text.find("\r\n\r\n") == std::string::npos) continue;
    std::uint64_t left = std::strtoull(text.c_str() + text.find('/') + 1, nullptr, 10);
    text = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(left) + "\r\n\r\n";
    if (left < kBlock.size()) text.append(left, 'x');
    if (::SSL_write(ssl, text.data(), static_cast<int>(text.size())) <= 0) break;
    if (left < kBlock.size()) left = 0;
    while (left > 0) {
      const int sent = ::SSL_write(ssl, kBlock.data(),
                                   static_cast<int>(std::min<std::uint64_t>(left, kBlock.size())));
      if (sent <= 0) break;
      left -= static_cast<std::uint64_t>(sent);
    }
    text.clear();
  }
  ::SSL_free(ssl);
  ::close(fd);
}

// By way of a proxy, or directly where that is 0.
struct Route {
  std::uint16_t proxy = 0, server = 0;
};

class Connection {
 public:
  Connection(SSL_CTX* context, const Route& route)
      : fd_(dial(route.proxy != 0 ? route.proxy : route.server)) {
    const std::string target = "127.0.0.1:" + std::to_string(route.server);
    char buffer[4096];
    if (route.proxy != 0) {
      const std::string ask = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
      std::string answer;
      if (::write(fd_, ask.data(), ask.size()) < 0) die("CONNECT");
      while (answer.find("\r\n\r\n") == std::string::npos) {
        const ssize_t size = ::read(fd_, buffer, sizeof buffer);
        if (size <= 0) die("CONNECT was not answered");
        answer.append(buffer, static_cast<std::size_t>(size));
      }
      if (answer.find(" 200 ") == std::string::npos) die("CONNECT: " + answer);
    }
    ssl_ = ::SSL_new(context);
    ::SSL_set_fd(ssl_, fd_);
    if (::SSL_connect(ssl_) != 1) die("TLS handshake");
    request_ = " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
  }
  ~Connection() {
    ::SSL_free(ssl_);
    ::close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Asks for so many bytes and takes as many off the wire, encrypted as they are.
  void drain(std::uint64_t bytes) {
    const std::string text = "GET /" + std::to_string(bytes) + request_;
    if (::SSL_write(ssl_, text.data(), static_cast<int>(text.size())) <= 0) die("request");
    while (bytes > 0) {
      const ssize_t size =
          ::recv(fd_, nullptr, std::min<std::uint64_t>(bytes, 1U << 20U), MSG_TRUNC);
      if (size <= 0) die("the answer was cut");
      bytes -= static_cast<std::uint64_t>(size);
    }
  }

  void get(std::uint64_t bytes) {
    static thread_local std::vector<char> buffer(256U << 10U);
    const std::string text = "GET /" + std::to_string(bytes) + request_;
    if (::SSL_write(ssl_, text.data(), static_cast<int>(text.size())) <= 0) die("request");
    std::string head;
    std::uint64_t got = 0;
    while (head.find("\r\n\r\n") == std::string::npos || got < bytes) {
      const int size = ::SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()));
      if (size <= 0) die("the answer was cut after " + std::to_string(got) + " bytes: " + head);
      const std::size_t end = head.find("\r\n\r\n");
      if (end != std::string::npos) {
        got += static_cast<std::uint64_t>(size);
        continue;
      }
      head.append(buffer.data(), static_cast<std::size_t>(size));
      if (const std::size_t body = head.find("\r\n\r\n"); body != std::string::npos)
        got = head.size() - body - 4;
    }
    if (head.find("HTTP/1.1 200") != 0) die(head);
  }

 private:
  int fd_;
  SSL* ssl_ = nullptr;
  std::string request_;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double megabytes_a_second(SSL_CTX* context, const Route& route) {
  Connection connection(context, route);
  connection.get(1);
  const auto begin = Clock::now();
  connection.drain(kBytes);
  return static_cast<double>(kBytes) / 1e6 / seconds_since(begin);
}

double connections_a_second(SSL_CTX* context, const Route& route) {
  std::atomic<int> done = 0;
  const auto begin = Clock::now();
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&] {
      while (Clock::now() - begin < kConnectTime) {
        Connection(context, route).get(100);
        ++done;
      }
    });
  for (std::thread& client : clients) client.join();
  return done.load() / seconds_since(begin);
}

// The processor time of a process so far; 0 for none.
double processor_seconds(int pid) {
  if (pid <= 0) return 0;
  const auto stat = ward::sys::read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) die("no process " + std::to_string(pid));
  unsigned long user = 0, system = 0;
  std::sscanf(stat->c_str() + stat->rfind(')') + 2,
              "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

ward::egress::GatewayClient start_gateway(const char* program, const std::string& ca,
                                          std::uint16_t server, std::uint16_t& port) {
  ward::egress::GatewaySpec spec;
  spec.sandbox = "bench";
  spec.interception = ward::egress::Interception::wanted;
  spec.trust_bundle_pem = ca;
  spec.network.allow.push_back({"127.0.0.1", server, {"bench", 1, {}}});
  spec.network.rules.push_back({"127.0.0.1", {"GET"}, {}, {"bench", 2, {}}});
  auto client = ward::egress::GatewayClient::start(program, spec);
  if (!client) die(client.error().describe());
  const int fd = listener(port);
  const ward::egress::ListenerOffer offer{ward::egress::ListenerRole::http_proxy, "", "127.0.0.1",
                                          port};
  if (const auto offered = client->offer(offer, fd); !offered) die(offered.error().describe());
  ::close(fd);
  return std::move(*client);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) die("usage: tls_bench GATEWAY PROXY_PORT CA_FILE PORT_FILE");
  ::signal(SIGPIPE, SIG_IGN);
  auto authority = ward::egress::Authority::make("bench");
  if (!authority) die(authority.error().describe());
  auto context = authority->context_for("127.0.0.1");
  if (!context) die(context.error().describe());
  Route direct;
  const int socket = listener(direct.server);
  std::uint16_t port = 0;
  auto gateway = start_gateway(argv[1], authority->certificate_pem(), direct.server, port);
  std::thread([&] {
    for (;;) {
      const int fd = ::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ward::bench::send_at_once(fd);
      std::thread(serve, *context, fd).detach();
    }
  }).detach();
  // The gateway's records must be taken, as the supervisor does.
  std::thread([&] {
    for (;;) {
      fd_set set;
      FD_ZERO(&set);
      FD_SET(gateway.channel(), &set);
      ::select(gateway.channel() + 1, &set, nullptr, nullptr, nullptr);
      while (gateway.receive().value_or(std::nullopt)) {
      }
    }
  }).detach();
  if (!ward::sys::replace_file(argv[3], authority->certificate_pem(), 0644) ||
      !ward::sys::replace_file(argv[4], std::to_string(direct.server), 0644))
    die("cannot write the files");
  int other = 0;
  if (std::scanf("%d", &other) != 1) die("nobody started the measurement");

  SSL_CTX* client = ::SSL_CTX_new(::TLS_client_method());
  const Route routes[] = {direct,
                          {port, direct.server},
                          {static_cast<std::uint16_t>(std::atoi(argv[2])), direct.server}};
  const int pids[] = {0, gateway.pid(), other};
  const char* names[] = {"direct", "ward", "other"};
  std::vector<double> rates[3], connects[3], rate_costs[3], connect_costs[3];
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < 3; ++i) {
      const double before = processor_seconds(pids[i]);
      rates[i].push_back(megabytes_a_second(client, routes[i]));
      const double between = processor_seconds(pids[i]);
      connects[i].push_back(connections_a_second(client, routes[i]));
      const double connections = connects[i].back() * static_cast<double>(kConnectTime.count());
      rate_costs[i].push_back((between - before) * 1e9 / static_cast<double>(kBytes));
      connect_costs[i].push_back((processor_seconds(pids[i]) - between) * 1000 / connections);
    }
  std::printf("{");
  for (int i = 0; i < 3; ++i)
    std::printf(
        "%s\"%s\": {\"megabytes\": %.1f, \"connections\": %.1f, "
        "\"seconds_a_gigabyte\": %.3f, \"milliseconds_a_connection\": %.3f}",
        i == 0 ? "" : ", ", names[i], median(rates[i]), median(connects[i]), median(rate_costs[i]),
        median(connect_costs[i]));
  std::printf("}\n");
  std::fflush(stdout);
  ::_exit(0);  // the threads of the server go on
}
