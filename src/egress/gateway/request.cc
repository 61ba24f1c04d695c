// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// One plain HTTP request on its way: exactly its head and its body go up, whatever else the client
// sends is dropped, and the connection ends with the answer. So there is no second request that
// two parsers could see in different places.
#include <boost/asio/post.hpp>

#include "egress/gateway/http_head.h"
#include "egress/gateway/sessions.h"

namespace ward::egress {

namespace {

constexpr std::size_t kPartBytes = 65536;

// What the two directions of an exchange share.
struct Exchange {
  Arrival& arrival;
  BodyEnd body;
  Pair pair;
  bool answered = false;
};

// Until the body is complete. A client that stops within it, or frames it wrongly, ends the
// exchange: the server must not wait for, or guess, the rest.
Task<void> send_body(Exchange& exchange) {
  Record& record = *exchange.arrival.record;
  std::string part;
  while (!exchange.body.done() && !exchange.answered && !exchange.pair.broken) {
    part.clear();
    const auto size = co_await read_more(exchange.pair.client, part, kPartBytes, kNever);
    if (exchange.answered || exchange.pair.broken) co_return;
    Result<std::size_t> used = fail(ErrorKind::io, "a body that was cut off");
    if (size && *size > 0) used = exchange.body.feed(part);
    if (!used) {
      record.verdict = RecordVerdict::failed;
      record.reason = used.error().message();
      break_off(exchange.pair);
      co_return;
    }
    const std::string_view body = std::string_view(part).substr(0, *used);
    const Status sent = co_await write_all(exchange.pair.upstream, body, kNever);
    // A server may answer, and close, before it has read everything.
    if (!sent) co_return;
    record.bytes_up += *used;
    co_await asio::post(exchange.pair.client.get_executor(), kAwait);
  }
}

Task<void> take_answer(Hub& hub, Exchange& exchange) {
  co_await pump(hub.pipes(), exchange.pair, Direction::down, exchange.arrival.record->bytes_down);
  exchange.answered = true;
  boost::system::error_code code;
  code = exchange.pair.client.cancel(code);
  code = exchange.pair.upstream.cancel(code);
}

// A WebSocket: after a 101 the bytes flow both ways, after any other answer only down.
Task<void> upgrade(Hub& hub, Arrival& arrival) {
  std::string answer;
  const auto size = co_await read_head(arrival.upstream, answer, Clock::now() + kConnectPatience);
  if (!size) {
    arrival.record->verdict = RecordVerdict::failed;
    arrival.record->reason = "the answer to an upgrade: " + size.error().message();
    co_return;
  }
  Status sent = co_await write_all(arrival.client, answer, Clock::now() + kWritePatience);
  if (!sent) co_return;
  arrival.record->bytes_down += answer.size();
  if (!answer.starts_with("HTTP/1.1 101 ")) {
    Pair pair{arrival.client, arrival.upstream};
    co_return co_await pump(hub.pipes(), pair, Direction::down, arrival.record->bytes_down);
  }
  sent = co_await write_all(arrival.upstream, arrival.early, Clock::now() + kWritePatience);
  if (!sent) co_return;
  arrival.record->bytes_up += arrival.early.size();
  co_await tunnel(hub.pipes(), arrival.client, arrival.upstream, arrival.record->bytes_up,
                  arrival.record->bytes_down);
}

}  // namespace

Task<void> serve_request(Hub& hub, Hub::Open& open, Arrival arrival, const RequestHead& head) {
  std::string text = forwarded_head(head, arrival.target.host, arrival.target.port);
  arrival.record->kind = RecordKind::request;
  arrival.record->method = head.method;
  arrival.record->path = head.path.substr(0, head.path.find('?'));
  Interceptor* interceptor = hub.interceptor();
  if (interceptor != nullptr && interceptor->wants(arrival.target, Content::http)) {
    Flow flow{std::move(arrival.client),   text + arrival.early,     Content::http, arrival.target,
              std::move(arrival.upstream), std::move(arrival.record)};
    co_return co_await interceptor->serve(std::move(flow));
  }
  open.set_upstream(arrival.upstream.native_handle());
  Exchange exchange{arrival, BodyEnd(head.body, head.length), {arrival.client, arrival.upstream}};
  const auto used = exchange.body.feed(arrival.early);
  if (!used) {
    arrival.record->verdict = RecordVerdict::denied;
    arrival.record->rule = "the check of requests";
    arrival.record->reason = used.error().message();
    const std::string answer =
        refusal(400, arrival.record->rule, "the request is refused: " + used.error().message());
    const Status sent = co_await write_all(arrival.client, answer, Clock::now() + kWritePatience);
    if (sent) co_await close_gently(arrival.client);
    co_return;
  }
  text += arrival.early.substr(0, *used);
  arrival.early.erase(0, *used);
  const Status sent = co_await write_all(arrival.upstream, text, Clock::now() + kWritePatience);
  if (!sent) co_return;
  arrival.record->bytes_up += text.size();
  if (head.upgrade && exchange.body.done()) co_return co_await upgrade(hub, arrival);
  Task<void> body = send_body(exchange);
  Task<void> answer = take_answer(hub, exchange);
  co_await run_both(exchange.pair, std::move(body), std::move(answer), arrival.record->bytes_up,
                    arrival.record->bytes_down);
}

}  // namespace ward::egress
