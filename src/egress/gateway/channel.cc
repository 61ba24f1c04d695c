// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/channel.h"

#include <poll.h>

#include <utility>

#include "sys/socket.h"
#include "sys/stream.h"

namespace ward::egress {

namespace {
constexpr std::size_t kMaxQueued = 4096;
}  // namespace

GatewayChannel::GatewayChannel(asio::io_context& loop, UniqueFd channel)
    : channel_(std::move(channel)), watched_(loop.get_executor()), queued_(loop), sent_(loop) {}

GatewayChannel::~GatewayChannel() {
  if (watched_.is_open()) (void)watched_.release();
}

// nullopt: the end.
Result<std::optional<Incoming>> GatewayChannel::receive() {
  WARD_ASSIGN(sys::Message message, sys::receive_message(channel_.get(), kMaxMessageBytes));
  if (message.bytes.empty()) return std::nullopt;
  WARD_ASSIGN(ToGateway decoded, decode_to_gateway(message.bytes));
  UniqueFd fd;
  if (!message.fds.empty()) fd = std::move(message.fds.front());
  return Incoming{std::move(decoded), std::move(fd)};
}

Result<Incoming> GatewayChannel::receive_first() {
  WARD_ASSIGN(std::optional<Incoming> incoming, receive());
  if (!incoming) return fail(ErrorKind::io, "the channel was closed");
  return std::move(*incoming);
}

void GatewayChannel::send(const FromGateway& message) {
  queue_.push_back(encode(message));
  queued_.announce();
}

Task<void> GatewayChannel::room() {
  while (queue_.size() >= kMaxQueued) co_await sent_.wait();
}

void GatewayChannel::run(std::function<void(Incoming)> received, std::function<void()> closed) {
  received_ = std::move(received);
  closed_ = std::move(closed);
  const Executor executor = watched_.get_executor();
  boost::system::error_code code;
  if (!sys::set_nonblocking(channel_.get())) return close();
  code = watched_.assign(channel_.get(), code);
  if (code) return close();
  asio::co_spawn(executor, read_all(), asio::detached);
  asio::co_spawn(executor, write_all(), asio::detached);
}

void GatewayChannel::close() {
  if (auto closed = std::exchange(closed_, nullptr)) closed();
}

Task<void> GatewayChannel::read_all() {
  boost::system::error_code code;
  for (;;) {
    auto incoming = receive();
    if (incoming && *incoming) {
      received_(std::move(**incoming));
      continue;
    }
    // Anything but "none now" ends the gateway: a supervisor that cannot be understood is none.
    if (incoming || incoming.error().kind() != ErrorKind::busy) break;
    co_await watched_.async_wait(Watched::wait_read, asio::redirect_error(kAwait, code));
    if (code) break;
  }
  close();
}

Task<void> GatewayChannel::write_all() {
  boost::system::error_code code;
  for (;;) {
    while (queue_.empty()) co_await queued_.wait();
    const Status sent = sys::send_message(channel_.get(), queue_.front());
    if (sent) {
      queue_.pop_front();
      if (queue_.size() < kMaxQueued) sent_.announce();
    } else if (sent.error().kind() == ErrorKind::busy) {
      co_await watched_.async_wait(Watched::wait_write, asio::redirect_error(kAwait, code));
      if (code) break;
    } else {
      break;
    }
  }
  close();
}

void GatewayChannel::flush() {
  while (!queue_.empty()) {
    const Status sent = sys::send_message(channel_.get(), queue_.front());
    if (sent) {
      queue_.pop_front();
      continue;
    }
    if (sent.error().kind() != ErrorKind::busy) return;
    struct pollfd item = {channel_.get(), POLLOUT, 0};
    if (::poll(&item, 1, -1) < 0 && errno != EINTR) return;
    if ((item.revents & (POLLHUP | POLLERR)) != 0) return;
  }
}

}  // namespace ward::egress
