// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/sessions.h"
#include "egress/gateway/socks.h"

namespace ward::egress {

namespace {

// A greeting and a request are at most 2 + 255 and 4 + 1 + 255 + 2 bytes.
constexpr std::size_t kPartBytes = 512;
// The answers to a greeting.
constexpr std::string_view kNoPassword("\x05\x00", 2);
constexpr std::string_view kNoMethod("\x05\xff", 2);

SocksReply reply_of(const Error& error) {
  if (error.kind() == ErrorKind::denied) return SocksReply::not_allowed;
  if (error.os_errno() == ECONNREFUSED) return SocksReply::connection_refused;
  return error.kind() == ErrorKind::not_found ? SocksReply::host_unreachable
                                              : SocksReply::general_failure;
}

Task<void> answer_and_close(Socket& client, std::string_view answer) {
  const Status sent = co_await write_all(client, answer, Clock::now() + kWritePatience);
  if (sent) co_await close_gently(client);
}

// Reads until `read` finds its part complete or bad; false where the client did not go on.
template <class Part>
Task<bool> read_part(Socket& client, std::string& bytes, Part (*read)(std::string_view), Part& part,
                     Clock::time_point deadline) {
  for (;;) {
    part = read(bytes);
    if (part.state != Part::State::more) co_return true;
    const auto more = co_await read_more(client, bytes, kPartBytes, deadline);
    if (!more || *more == 0) co_return false;
  }
}

}  // namespace

Task<void> serve_socks(Hub& hub, Socket client) {
  OpenRecord record(hub, Protocol::socks5);
  Hub::Open open(hub, client, *record);
  record->rule = "the check of requests";
  const auto deadline = Clock::now() + kHeadPatience;
  std::string bytes;
  SocksGreeting greeting;
  bool complete = co_await read_part(client, bytes, &read_socks_greeting, greeting, deadline);
  if (!complete) {
    record->reason = "the connection was closed before any request";
    co_return;
  }
  record->verdict = RecordVerdict::denied;
  if (greeting.state == SocksGreeting::State::bad || !greeting.offers_none) {
    record->reason = "it is no SOCKS5 greeting that offers to go without a password";
    co_return co_await answer_and_close(client, kNoMethod);
  }
  bytes.erase(0, greeting.size);
  Status sent = co_await write_all(client, kNoPassword, deadline);
  if (!sent) co_return;
  SocksRequest request;
  complete = co_await read_part(client, bytes, &read_socks_request, request, deadline);
  if (!complete) {
    record->verdict = RecordVerdict::failed;
    record->reason = "the connection was closed before any request";
    co_return;
  }
  const auto host = normalise_host(request.host);
  record->host = request.host;
  record->port = request.port;
  if (request.state == SocksRequest::State::bad || !host || request.port == 0) {
    record->reason = "the SOCKS request is no CONNECT to a host and a port";
    const SocksReply code =
        request.state == SocksRequest::State::bad ? request.reply : SocksReply::not_allowed;
    const std::string reply = socks_reply(code);
    co_return co_await answer_and_close(client, reply);
  }
  bytes.erase(0, request.size);
  const Target target{*host, request.port, parse_address(*host).has_value()};
  open.set_target(target);
  auto upstream = co_await hub.dial(target, *record);
  const std::string reply =
      socks_reply(upstream ? SocksReply::succeeded : reply_of(upstream.error()));
  if (!upstream) co_return co_await answer_and_close(client, reply);
  sent = co_await write_all(client, reply, Clock::now() + kWritePatience);
  if (!sent) co_return;
  Arrival arrival{std::move(client), std::move(bytes), target, std::move(*upstream),
                  std::move(record)};
  co_await serve_content(hub, open, std::move(arrival));
}

}  // namespace ward::egress
