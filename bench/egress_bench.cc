// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// egress_bench GATEWAY [ROUNDS]: what the egress gateway costs a connection that it does not read,
// beside the same connection without it, in turns, over loopback. Prints lines of a name and
// numbers: bytes a second for 1 GiB (direct, tunnel), the median round trip of 64 bytes in
// microseconds (direct, tunnel), the median time to a first answer on a new connection in
// microseconds (direct, tunnel), and how many of 1,000 tunnels open at once answered.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "egress/client.h"
#include "loopback.h"

namespace {

using namespace ward;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBytes = 1U << 30U;
constexpr std::size_t kPart = 256U << 10U;
constexpr std::size_t kConnections = 1000;
constexpr int kRoundTrips = 2000;
constexpr int kNewConnections = 300;

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "egress_bench: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

UniqueFd listen_here() {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in any = bench::loopback(0);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
      ::listen(socket.get(), 4096) != 0)
    die("listen");
  return socket;
}

std::uint16_t port_of(const UniqueFd& socket) {
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

void send_all(const UniqueFd& socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket.get(), bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) die("send");
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void receive_all(const UniqueFd& socket, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket.get(), bytes, size, 0);
    if (got <= 0) die("receive");
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
}

// One process a connection: a first byte 's' asks for kBytes, anything else is said back.
[[noreturn]] void serve_one(int connection) {
  std::vector<char> part(kPart, 'x');
  const UniqueFd socket(connection);
  bench::send_at_once(connection);
  for (;;) {
    const ssize_t got = ::recv(connection, part.data(), part.size(), 0);
    if (got <= 0) ::_exit(0);
    if (part[0] != 's') {
      send_all(socket, part.data(), static_cast<std::size_t>(got));
      continue;
    }
    for (std::size_t sent = 0; sent < kBytes; sent += kPart) send_all(socket, part.data(), kPart);
  }
}

// All connections of the crowd in one process, so that it is not the server that is measured.
[[noreturn]] void serve(int listener) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGCHLD, SIG_IGN);
  for (;;) {
    const int connection = ::accept(listener, nullptr, nullptr);
    if (connection < 0) die("accept");
    if (::fork() == 0) serve_one(connection);
    ::close(connection);
  }
}

[[noreturn]] void serve_crowd(int listener) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<struct pollfd> items = {{listener, POLLIN, 0}};
  char part[4096];
  for (;;) {
    if (::poll(items.data(), items.size(), -1) < 0) die("poll");
    for (std::size_t i = items.size(); i-- > 1;) {
      if (items[i].revents == 0) continue;
      const ssize_t got = ::recv(items[i].fd, part, sizeof part, 0);
      if (got > 0) {
        (void)::send(items[i].fd, part, static_cast<std::size_t>(got), MSG_NOSIGNAL);
      } else {
        ::close(items[i].fd);
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (items[0].revents != 0) items.push_back({::accept(listener, nullptr, nullptr), POLLIN, 0});
  }
}

template <class Serve>
pid_t start(const UniqueFd& listener, Serve serve_it) {
  const pid_t pid = ::fork();
  if (pid == 0) serve_it(listener.get());
  return pid;
}

// Where connections go: to the server itself, or through the gateway's proxy.
struct Route {
  std::uint16_t server = 0;
  std::uint16_t proxy = 0;  // 0: none
  UniqueFd open() const {
    UniqueFd socket = bench::dial(proxy == 0 ? server : proxy);
    if (!socket.valid()) die("connect");
    if (proxy == 0) return socket;
    const std::string target = "127.0.0.1:" + std::to_string(server);
    const std::string request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
    send_all(socket, request.data(), request.size());
    std::string answer(39, '\0');  // "HTTP/1.1 200 Connection established" and its empty line
    receive_all(socket, answer.data(), answer.size());
    if (answer.compare(0, 12, "HTTP/1.1 200") != 0) die("the proxy answered " + answer);
    return socket;
  }
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double transfer(const Route& route) {
  const UniqueFd socket = route.open();
  std::vector<char> part(kPart);
  const auto begin = Clock::now();
  send_all(socket, "s", 1);
  for (std::size_t done = 0; done < kBytes;) {
    const ssize_t got = ::recv(socket.get(), part.data(), part.size(), 0);
    if (got <= 0) die("receive");
    done += static_cast<std::size_t>(got);
  }
  return static_cast<double>(kBytes) / seconds_since(begin);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double round_trip_us(const Route& route) {
  const UniqueFd socket = route.open();
  char message[64] = "ping";
  std::vector<double> times;
  for (int i = 0; i < kRoundTrips; ++i) {
    const auto begin = Clock::now();
    send_all(socket, message, sizeof message);
    receive_all(socket, message, sizeof message);
    times.push_back(seconds_since(begin) * 1e6);
  }
  return median(times);
}

double first_answer_us(const Route& route) {
  char message[64] = "ping";
  std::vector<double> times;
  for (int i = 0; i < kNewConnections; ++i) {
    const auto begin = Clock::now();
    const UniqueFd socket = route.open();
    send_all(socket, message, sizeof message);
    receive_all(socket, message, sizeof message);
    times.push_back(seconds_since(begin) * 1e6);
  }
  return median(times);
}

std::size_t crowd(const Route& route) {
  std::vector<UniqueFd> sockets;
  for (std::size_t i = 0; i < kConnections; ++i) sockets.push_back(route.open());
  char message[64] = "ping";
  for (const UniqueFd& socket : sockets) send_all(socket, message, sizeof message);
  std::size_t answered = 0;
  for (const UniqueFd& socket : sockets) {
    receive_all(socket, message, sizeof message);
    ++answered;
  }
  return answered;
}

template <class Measure>
void in_turns(const char* name, int rounds, const Route& direct, const Route& tunnel,
              Measure measure) {
  std::vector<double> without, with;
  for (int i = 0; i < rounds; ++i) {
    without.push_back(measure(direct));
    with.push_back(measure(tunnel));
  }
  std::printf("%s %.1f %.1f\n", name, median(without), median(with));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: egress_bench GATEWAY [ROUNDS]\n");
    return 2;
  }
  const int rounds = count > 2 ? std::atoi(words[2]) : 5;
  struct rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const UniqueFd server = listen_here();
  const UniqueFd crowd_server = listen_here();
  const pid_t serving = start(server, serve);
  const pid_t serving_crowd = start(crowd_server, serve_crowd);
  egress::GatewaySpec spec;
  for (const UniqueFd* listener : {&server, &crowd_server})
    spec.network.allow.push_back({"127.0.0.1", port_of(*listener), {}});
  auto gateway = egress::GatewayClient::start(words[1], spec);
  if (!gateway) die(gateway.error().describe());
  const UniqueFd proxy = listen_here();
  if (!gateway->offer({egress::ListenerRole::http_proxy, "", "", 3128}, proxy.get()))
    die("offer a listener");
  // Somebody has to take the records.
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (struct pollfd item = {gateway->channel(), POLLIN, 0}; ::poll(&item, 1, -1) == 1;)
      while (gateway->receive().value_or(std::nullopt)) {
      }
    ::_exit(0);
  }
  const Route direct{port_of(server), 0};
  const Route tunnel{port_of(server), port_of(proxy)};
  in_turns("transfer", rounds, direct, tunnel, transfer);
  in_turns("round-trip", rounds, direct, tunnel, round_trip_us);
  in_turns("first-answer", rounds, direct, tunnel, first_answer_us);
  const auto begin = Clock::now();
  const std::size_t answered = crowd({port_of(crowd_server), port_of(proxy)});
  std::printf("crowd %zu %.1f\n", answered, seconds_since(begin) * 1e3);
  for (const pid_t pid : {supervisor, serving, serving_crowd}) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  return 0;
}
