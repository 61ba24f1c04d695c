// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ConnectBroker performs every connect(2) of the sandbox on a copy of the caller's socket, so that
// nothing that was checked can be exchanged: neither the address, nor the socket behind the number,
// nor the path. A unix socket at a path is reached only if it was bound in the sandbox's network
// namespace or is listed; all else stays in that namespace anyway and passes. A socket that was
// made in the supervisor's own namespace is never connected. One thread, never blocks.
//
// Differences to the kernel's own: the peer's SO_PEERCRED names the supervisor's process, with the
// caller's user; only a fatal signal interrupts a connect that waits; a blocking socket is
// non-blocking for the moment of the call.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/caller_view.h"
#include "confine/reply.h"
#include "confine/workers.h"
#include "sys/inet.h"

namespace ward::confine {

// A connect that was refused, for the report.
struct ConnectRefusal {
  std::string target;  // the address, or the path
  std::string rule;    // why
  std::string remedy;
};

// What the supervisor knows of the network that a sandbox sees. Each may be empty: then there is
// none. Mapped addresses come as the IPv4 ones that they are.
struct NetworkJudge {
  enum class Answer : std::uint8_t {
    go_on,   // the kernel decides
    wait,    // until the socket there listens: resume() goes on with it
    refuse,  // answered ECONNREFUSED, and reported
  };
  // `type` is the socket's. Before the connect is performed.
  std::function<Answer(const sys::Endpoint& endpoint, int type)> before;
  // The kernel refused it with this errno, or Answer::refuse did: what the report says, if
  // anything.
  std::function<std::optional<ConnectRefusal>(const sys::Endpoint& endpoint, int type, int error)>
      refused;
};

class ConnectBroker {
 public:
  using OnRefusal = std::function<void(const ConnectRefusal&)>;

  // Watches what is pending through `epoll`, which must outlive it, as must `workers`.
  ConnectBroker(std::vector<std::string> allowed, NetworkJudge network, int epoll,
                Workers& workers);

  // Before the first connect().
  void start(UniqueFd diagnostics) { diagnostics_ = std::move(diagnostics); }

  // `fd`, `address` and `length` are the caller's registers. An error is the errno for the caller.
  Result<Reply> connect(const Caller& caller, CallerView& view, int fd, std::uint64_t address,
                        std::uint64_t length, const OnRefusal& refuse);

  // Was this epoll event about a pending connect? Then it is over, and its caller is answered.
  bool complete(int fd);
  // What Answer::wait was given for may go on: performs the connects to `endpoint`.
  void resume(const sys::Endpoint& endpoint);
  // Forgets those whose callers are gone.
  void end_orphans();
  bool idle() const { return pending_.empty() && waiting_.empty(); }

 private:
  struct Pending {
    UniqueFd socket;
    Caller caller;
  };
  struct Waiting {
    UniqueFd socket;
    Caller caller;
    std::string address;
  };
  Result<Reply> to_internet(const Caller& caller, UniqueFd socket, const std::string& address,
                            const sys::Endpoint& endpoint, const OnRefusal& refuse);
  Result<Reply> to_path(const Caller& caller, CallerView& view, UniqueFd socket,
                        const std::string& path, const OnRefusal& refuse);
  Result<Reply> attempt(const Caller& caller, UniqueFd socket, const std::string& address,
                        int object);
  Result<Reply> wait_for(const Caller& caller, UniqueFd socket);
  bool listed(sys::ObjectId object) const;
  Result<bool> bound_inside(const Caller& caller, const Place& place) const;

  UniqueFd diagnostics_;
  std::vector<std::string> allowed_;
  NetworkJudge network_;
  std::uint64_t own_namespace_ = 0;
  std::uint64_t begun_ns_ = 0;  // before the sandbox
  int epoll_;
  Workers& workers_;
  std::map<int, Pending> pending_;  // by socket
  std::multimap<sys::Endpoint, Waiting> waiting_;
};

// What is read of an address: the bytes and nothing behind them. EINVAL, EFAULT as the call itself.
Result<std::string> read_address(pid_t tid, std::uint64_t address, std::uint64_t length);

// The path of a unix address, nothing for an abstract or unnamed one or another family.
std::optional<std::string> path_of_address(const std::string& address);

// The domain of a socket; ENOTSOCK.
Result<int> socket_domain(int fd);

}  // namespace ward::confine
