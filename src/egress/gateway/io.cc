// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/io.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <memory>

namespace ward::egress {

namespace {

using boost::system::error_code;

// How long the other end may take to read a refusal, and how much of what it still sends is read.
constexpr auto kGentlePatience = std::chrono::seconds(1);
constexpr std::size_t kGentleBytes = 256U << 10U;

// While it lives, the socket's waits are cancelled at the deadline. The handler may run after the
// socket is gone, hence the shared flag.
class Deadline {
 public:
  Deadline(Socket& socket, Clock::time_point when) : timer_(socket.get_executor()) {
    if (when == kNever) return;
    timer_.expires_at(when);
    timer_.async_wait([state = state_, &socket](const error_code& code) {
      if (code || !state->alive) return;
      state->passed = true;
      socket.cancel();
    });
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { state_->alive = false; }
  bool passed() const { return state_->passed; }

 private:
  struct State {
    bool alive = true, passed = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  Timer timer_;
};

void set_option(int fd, int level, int name, int value) {
  // Comfort, not safety: a socket that refuses still works.
  (void)::setsockopt(fd, level, name, &value, sizeof value);
}

void prepare(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
}

}  // namespace

Result<Socket> adopt_socket(asio::io_context& loop, int fd) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0)
    return fail_errno(errno, "SO_DOMAIN");
  Socket socket(loop.get_executor());
  error_code code;
  code = socket.assign(domain == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), fd, code);
  if (code) return fail_errno(code.value(), "watch a connection");
  code = socket.non_blocking(true, code);
  if (code) return fail_errno(code.value(), "O_NONBLOCK");
  prepare(fd);
  return socket;
}

Task<bool> wait_for(Socket& socket, Wait what, Clock::time_point deadline) {
  error_code code;
  Deadline limit(socket, deadline);
  co_await socket.async_wait(what == Wait::read ? Socket::wait_read : Socket::wait_write,
                             asio::redirect_error(kAwait, code));
  co_return !code;
}

Task<First> wait_for_either(Socket& first, Socket& second, Clock::time_point deadline) {
  struct State {
    bool alive = true, second = false;
  };
  auto state = std::make_shared<State>();
  second.async_wait(Socket::wait_read, [state, &first](const error_code& code) {
    if (code || !state->alive) return;
    state->second = true;
    first.cancel();
  });
  const bool ready = co_await wait_for(first, Wait::read, deadline);
  state->alive = false;
  error_code code;
  code = second.cancel(code);
  co_return ready && !state->second ? First::first : First::second;
}

Task<Result<std::size_t>> read_more(Socket& socket, std::string& into, std::size_t max,
                                    Clock::time_point deadline) {
  const std::size_t before = into.size();
  for (;;) {
    into.resize(before + max);
    const ssize_t size = ::recv(socket.native_handle(), into.data() + before, max, MSG_DONTWAIT);
    const int cause = errno;
    into.resize(before + static_cast<std::size_t>(size > 0 ? size : 0));
    if (size >= 0) co_return static_cast<std::size_t>(size);
    if (cause == EINTR) continue;
    if (cause != EAGAIN) co_return fail_errno(cause, "read");
    if (!co_await wait_for(socket, Wait::read, deadline))
      co_return fail(ErrorKind::busy, "nothing came in time");
  }
}

Task<Status> write_all(Socket& socket, std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t size =
        ::send(socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) co_return fail_errno(errno, "write");
    if (!co_await wait_for(socket, Wait::write, deadline))
      co_return fail(ErrorKind::busy, "nobody read in time");
  }
  co_return Status();
}

Task<Result<Socket>> connect_to(asio::io_context& loop, const asio::ip::tcp::endpoint& endpoint,
                                Clock::time_point deadline) {
  error_code code;
  Socket socket(loop.get_executor());
  code = socket.open(endpoint.protocol(), code);
  if (code) co_return fail_errno(code.value(), "socket");
  code = socket.non_blocking(true, code);
  prepare(socket.native_handle());
  Deadline limit(socket, deadline);
  co_await socket.async_connect(endpoint, asio::redirect_error(kAwait, code));
  if (code && limit.passed()) co_return fail_errno(ETIMEDOUT, "connect");
  if (code) co_return fail_errno(code.value(), "connect");
  co_return socket;
}

Task<void> close_gently(Socket& socket) {
  ::shutdown(socket.native_handle(), SHUT_WR);
  const auto deadline = Clock::now() + kGentlePatience;
  std::string dropped;
  for (std::size_t total = 0; total < kGentleBytes; total += dropped.size()) {
    dropped.clear();
    const auto size = co_await read_more(socket, dropped, 4096, deadline);
    if (!size || *size == 0) break;
  }
  error_code code;
  code = socket.close(code);
}

void reset(Socket& socket) {
  const struct linger now = {1, 0};
  (void)::setsockopt(socket.native_handle(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  error_code code;
  code = socket.close(code);
}

Task<void> Signal::wait_until(Clock::time_point deadline) {
  error_code code;
  if (deadline != kNever) {
    // A waker of its own for this one: announcing at the deadline wakes the others too, who look
    // again.
    Timer alarm(loop_.get_executor(), deadline);
    alarm.async_wait([this](const error_code& passed) {
      if (!passed) announce();
    });
    co_await timer_.async_wait(asio::redirect_error(kAwait, code));
    co_return;
  }
  co_await timer_.async_wait(asio::redirect_error(kAwait, code));
}

Task<void> give_way(asio::io_context& loop) { co_await asio::post(loop.get_executor(), kAwait); }

Task<void> sleep_until(asio::io_context& loop, Clock::time_point when) {
  Timer timer(loop.get_executor(), when);
  error_code code;
  co_await timer.async_wait(asio::redirect_error(kAwait, code));
}

}  // namespace ward::egress
