// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/listeners.h"

#include <sys/socket.h>

#include <cerrno>

#include "egress/gateway/hub.h"
#include "egress/gateway/sessions.h"
#include "sys/stream.h"

namespace ward::egress {

namespace {

// How long accepting rests after an error.
constexpr auto kRest = std::chrono::milliseconds(50);
// How many connections are accepted before those that are open get their turn.
constexpr int kAcceptedInARow = 32;

Protocol protocol_of(ListenerRole role) {
  switch (role) {
    case ListenerRole::dns:
    case ListenerRole::dns_stream: return Protocol::dns;
    case ListenerRole::http_proxy: return Protocol::http;
    case ListenerRole::socks: return Protocol::socks5;
    case ListenerRole::transparent:
    case ListenerRole::literal: return Protocol::transparent;
    case ListenerRole::host_port: return Protocol::host_port;
    case ListenerRole::publish: return Protocol::publish;
  }
  return Protocol::transparent;
}

Task<void> session_of(Hub& hub, const ListenerOffer& offer, Socket client) {
  switch (offer.role) {
    case ListenerRole::dns:
    case ListenerRole::dns_stream: return serve_dns_stream(hub, std::move(client));
    case ListenerRole::http_proxy: return serve_http(hub, std::move(client));
    case ListenerRole::socks: return serve_socks(hub, std::move(client));
    case ListenerRole::transparent:
      return serve_transparent(hub, std::move(client), {offer.name, offer.port, false});
    case ListenerRole::literal:
      return serve_transparent(hub, std::move(client), {offer.address, offer.port, true});
    case ListenerRole::host_port: return serve_host_port(hub, std::move(client), offer.port);
    case ListenerRole::publish: return serve_publish(hub, std::move(client), offer.port);
  }
  return serve_http(hub, std::move(client));
}

void start_session(Hub& hub, const ListenerOffer& offer, UniqueFd fd) {
  auto client = adopt_socket(hub.loop(), fd.get());
  if (!client) return;
  (void)fd.release();
  if (hub.full()) {
    const OpenRecord record(hub, protocol_of(offer.role));
    record->verdict = RecordVerdict::denied;
    record->host = offer.name.empty() ? offer.address : offer.name;
    record->port = offer.port;
    record->rule = "the limit of connections";
    record->reason = "too many connections are open";
    reset(*client);
    return;
  }
  asio::co_spawn(hub.loop(), session_of(hub, offer, std::move(*client)), asio::detached);
}

Task<void> accept_all(Hub& hub, ListenerOffer offer, Watched socket) {
  boost::system::error_code code;
  for (int in_a_row = 0;;) {
    co_await hub.channel().room();
    UniqueFd fd(::accept4(socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const int cause = errno;
    if (fd.valid()) {
      start_session(hub, offer, std::move(fd));
      if (++in_a_row < kAcceptedInARow) continue;
      in_a_row = 0;
      co_await give_way(hub.loop());
      continue;
    }
    in_a_row = 0;
    if (cause == EAGAIN || cause == EINTR || cause == ECONNABORTED) {
      co_await socket.async_wait(Watched::wait_read, asio::redirect_error(kAwait, code));
      if (code) co_return;
    } else {
      // Descriptors or memory have run out, or the network had an error that says nothing about
      // the next connection (accept(2)).
      co_await sleep_until(hub.loop(), Clock::now() + kRest);
    }
  }
}

}  // namespace

Status listen_on(Hub& hub, const ListenerOffer& offer, UniqueFd socket) {
  WARD_TRY(sys::set_nonblocking(socket.get()));
  Watched watched(hub.loop().get_executor());
  boost::system::error_code code;
  code = watched.assign(socket.get(), code);
  if (code) return fail_errno(code.value(), "watch a listening socket");
  (void)socket.release();
  if (offer.role == ListenerRole::dns) {
    asio::co_spawn(hub.loop(), serve_dns(hub, std::make_shared<Watched>(std::move(watched))),
                   asio::detached);
  } else {
    asio::co_spawn(hub.loop(), accept_all(hub, offer, std::move(watched)), asio::detached);
  }
  return {};
}

}  // namespace ward::egress
