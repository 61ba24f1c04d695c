// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The place where every way in arrives (flow.h): the client's first bytes must say that they are
// meant for the name that was allowed, else another server behind the same address could be
// reached; then the connection is tunnelled, or handed to the interceptor.
#include <sys/socket.h>

#include "egress/gateway/client_hello.h"
#include "egress/gateway/http_head.h"
#include "egress/gateway/sessions.h"

namespace ward::egress {

namespace {

constexpr std::size_t kPartBytes = 4096;
// A TLS alert (fatal, access_denied): the client says so, and not that the connection broke.
constexpr std::string_view kAccessDenied("\x15\x03\x03\x00\x02\x02\x31", 7);
constexpr const char* kNameCheck = "the check of names";

void deny(Record& record, std::string reason) {
  record.verdict = RecordVerdict::denied;
  record.rule = kNameCheck;
  record.reason = std::move(reason);
}

std::string explain(const Record& record) {
  return host_and_port(record.host, record.port) + "\n  denied by " + record.rule +
         "\n    because " + record.reason + "\n";
}

Task<void> refuse_http(Socket& client, const Record& record, int status) {
  const std::string answer = refusal(status, record.rule, explain(record));
  const Status sent = co_await write_all(client, answer, Clock::now() + kWritePatience);
  if (sent) co_await close_gently(client);
}

Task<void> refuse_tls(Socket& client) {
  const Status sent = co_await write_all(client, kAccessDenied, Clock::now() + kWritePatience);
  if (sent) co_await close_gently(client);
}

// What the first bytes are, reading as many as it takes to tell.
struct Look {
  enum class Kind : std::uint8_t { tls, http, opaque, ended, late };
  Kind kind = Kind::ended;
  HelloVerdict hello;
};

Task<Look> look_at(Socket& client, std::string& early, Clock::time_point deadline) {
  for (;;) {
    Look look;
    look.hello = inspect_client_hello(early);
    if (look.hello.state == HelloVerdict::State::complete ||
        look.hello.state == HelloVerdict::State::bad) {
      look.kind = Look::Kind::tls;
      co_return look;
    }
    if (look.hello.state == HelloVerdict::State::not_tls) {
      const Likeness likeness = looks_like_http(early);
      look.kind = likeness == Likeness::yes ? Look::Kind::http : Look::Kind::opaque;
      if (likeness != Likeness::more) co_return look;
    }
    const auto more = co_await read_more(client, early, kPartBytes, deadline);
    look.kind =
        !more && more.error().kind() == ErrorKind::busy ? Look::Kind::late : Look::Kind::ended;
    if (!more || *more == 0) co_return look;
  }
}

// "" or why this hello may not pass. Who names an address says nothing of names.
std::string problem_of(const HelloVerdict& hello, const Target& target) {
  if (target.literal) return "";
  if (hello.state == HelloVerdict::State::bad) return hello.problem;
  if (hello.server_name.empty()) return "its TLS hello names no server (SNI)";
  if (hello.server_name != target.host)
    return "its TLS hello names " + hello.server_name + ", not " + target.host;
  return "";
}

std::string problem_of(const RequestHead& head, const Target& target) {
  if (head.form == RequestHead::Form::authority) return "it asks for a CONNECT inside a connection";
  if (head.host != target.host || (head.port != 0 && head.port != target.port))
    return "its Host is " + head.host + (head.port == 0 ? "" : ":" + std::to_string(head.port)) +
           ", not " + target.host;
  return "";
}

// A server that gives up on a silent client has said nothing: what the client says then is not
// passed on unseen.
bool has_ended(Socket& socket) {
  char first = 0;
  return ::recv(socket.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

Task<void> hand_over(Hub& hub, Hub::Open& open, Arrival arrival, Content content) {
  Interceptor* interceptor = hub.interceptor();
  if (interceptor != nullptr && interceptor->wants(arrival.target, content)) {
    if (content == Content::opaque) {
      deny(*arrival.record, "what is said to " + arrival.target.host +
                                " must be read, and it is neither TLS nor HTTP");
      reset(arrival.client);
      co_return;
    }
    open.set_upstream(-1);
    Flow flow{std::move(arrival.client),   std::move(arrival.early), content, arrival.target,
              std::move(arrival.upstream), std::move(arrival.record)};
    co_return co_await interceptor->serve(std::move(flow));
  }
  const Status sent =
      co_await write_all(arrival.upstream, arrival.early, Clock::now() + kWritePatience);
  if (!sent) co_return;
  arrival.record->bytes_up += arrival.early.size();
  arrival.early = {};
  co_await tunnel(hub.pipes(), arrival.client, arrival.upstream, arrival.record->bytes_up,
                  arrival.record->bytes_down);
}

Task<void> serve_plain(Hub& hub, Hub::Open& open, Arrival arrival) {
  const auto size = co_await read_head(arrival.client, arrival.early, Clock::now() + kHeadPatience);
  Result<RequestHead> head = fail(ErrorKind::invalid, "");
  if (size) {
    head = parse_request_head(std::string_view(arrival.early).substr(0, *size));
  } else {
    head = fail(size.error());
  }
  if (!head) {
    deny(*arrival.record, "its HTTP request is refused: " + head.error().message());
    co_return co_await refuse_http(arrival.client, *arrival.record, 400);
  }
  const std::string problem = problem_of(*head, arrival.target);
  if (!problem.empty()) {
    deny(*arrival.record, problem);
    co_return co_await refuse_http(arrival.client, *arrival.record, 403);
  }
  arrival.early.erase(0, *size);
  co_await serve_request(hub, open, std::move(arrival), *head);
}

}  // namespace

Task<void> serve_content(Hub& hub, Hub::Open& open, Arrival arrival) {
  const Target& target = arrival.target;
  Record& record = *arrival.record;
  open.set_upstream(arrival.upstream.native_handle());
  // Where the policy names an address or a port of its own, any protocol may be spoken, and in some
  // the server speaks first. Elsewhere the client must say for whom its bytes are.
  const bool web = target.port == 80 || target.port == 443;
  const bool any =
      target.literal || (!web && decide(hub.spec()->network, target.host, target.port).names_port);
  if (any && arrival.early.empty() &&
      co_await wait_for_either(arrival.client, arrival.upstream, kNever) == First::second) {
    if (has_ended(arrival.upstream)) co_return reset(arrival.client);
    co_return co_await hand_over(hub, open, std::move(arrival), Content::opaque);
  }
  const Look look = co_await look_at(arrival.client, arrival.early, Clock::now() + kHeadPatience);
  switch (look.kind) {
    case Look::Kind::tls: {
      const std::string problem = problem_of(look.hello, target);
      if (problem.empty())
        co_return co_await hand_over(hub, open, std::move(arrival), Content::tls);
      deny(record, problem);
      co_return co_await refuse_tls(arrival.client);
    }
    case Look::Kind::http:
      if (!target.literal ||
          (hub.interceptor() != nullptr && hub.interceptor()->wants(target, Content::http)))
        co_return co_await serve_plain(hub, open, std::move(arrival));
      co_return co_await hand_over(hub, open, std::move(arrival), Content::opaque);
    case Look::Kind::opaque:
      if (any) co_return co_await hand_over(hub, open, std::move(arrival), Content::opaque);
      deny(record, "it is neither TLS nor HTTP, and no rule names port " +
                       std::to_string(target.port) + " for another protocol");
      reset(arrival.client);
      co_return;
    case Look::Kind::ended:
      if (any && !arrival.early.empty())
        co_return co_await hand_over(hub, open, std::move(arrival), Content::opaque);
      record.reason = "closed before it was told what is spoken";
      co_return;
    case Look::Kind::late:
      record.verdict = RecordVerdict::failed;
      record.reason = "it did not say in time what is spoken";
      reset(arrival.client);
      co_return;
  }
}

Task<void> serve_transparent(Hub& hub, Socket client, Target target) {
  OpenRecord record(hub, Protocol::transparent);
  Hub::Open open(hub, client, *record);
  open.set_target(target);
  auto upstream = co_await hub.dial(target, *record);
  if (!upstream) {
    reset(client);
    co_return;
  }
  Arrival arrival{std::move(client), "", target, std::move(*upstream), std::move(record)};
  co_await serve_content(hub, open, std::move(arrival));
}

Task<void> serve_host_port(Hub& hub, Socket client, std::uint16_t port) {
  OpenRecord record(hub, Protocol::host_port);
  Hub::Open open(hub, client, *record);
  record->host = "localhost";
  record->port = port;
  const auto& ports = hub.spec()->network.host_ports;
  record->rule = "hostPorts " + std::to_string(port);
  if (std::find(ports.begin(), ports.end(), port) == ports.end()) {
    record->verdict = RecordVerdict::denied;
    record->reason = "the policy lets this port of the host in no longer";
    reset(client);
    co_return;
  }
  Result<Socket> upstream = fail(ErrorKind::io, "no address");
  for (const char* loopback : {"127.0.0.1", "::1"}) {
    record->address = loopback;
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(loopback), port);
    upstream = co_await connect_to(hub.loop(), endpoint, Clock::now() + kConnectPatience);
    if (upstream) break;
  }
  if (!upstream) {
    record->reason = upstream.error().message();
    reset(client);
    co_return;
  }
  record->verdict = RecordVerdict::allowed;
  open.set_upstream(upstream->native_handle());
  co_await tunnel(hub.pipes(), client, *upstream, record->bytes_up, record->bytes_down);
}

Task<void> serve_publish(Hub& hub, Socket client, std::uint16_t port) {
  OpenRecord record(hub, Protocol::publish);
  Hub::Open open(hub, client, *record);
  record->port = port;
  record->rule = "publish " + std::to_string(port);
  auto inside = co_await hub.connect_inside(port);
  if (!inside) {
    record->reason = inside.error().message();
    reset(client);
    co_return;
  }
  record->verdict = RecordVerdict::allowed;
  open.set_upstream(inside->native_handle());
  // Bytes up come from the sandbox, which is the other end here.
  co_await tunnel(hub.pipes(), client, *inside, record->bytes_down, record->bytes_up);
}

}  // namespace ward::egress
