// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "egress/gateway/http_head.h"
#include "egress/gateway/sessions.h"

namespace ward::egress {

namespace {

std::string_view phrase(int status) {
  switch (status) {
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 408: return "Request Timeout";
    case 431: return "Request Header Fields Too Large";
    case 504: return "Gateway Timeout";
    default: return "Bad Gateway";
  }
}

constexpr std::string_view kEstablished = "HTTP/1.1 200 Connection established\r\n\r\n";

int status_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::denied: return 403;
    case ErrorKind::busy: return 504;
    default: return error.os_errno() == ETIMEDOUT ? 504 : 502;
  }
}

Task<void> answer_and_close(Socket& client, int status, const Record& record,
                            const std::string& text) {
  std::string rule;
  if (record.verdict == RecordVerdict::denied) rule = record.rule;
  const std::string answer = refusal(status, rule, text);
  const Status sent = co_await write_all(client, answer, Clock::now() + kWritePatience);
  if (sent) co_await close_gently(client);
}

// Of a head that could not be read: what it is, for the record and the answer.
Task<void> refuse_head(Socket& client, Record& record, const Error& error) {
  // Who is gone or too slow did nothing that is refused.
  const bool failed = error.kind() == ErrorKind::not_found || error.kind() == ErrorKind::busy;
  record.verdict = failed ? RecordVerdict::failed : RecordVerdict::denied;
  record.rule = "the check of requests";
  record.reason = error.message();
  if (error.kind() == ErrorKind::not_found) co_return;
  const int status = error.kind() == ErrorKind::busy        ? 408
                     : error.kind() == ErrorKind::exhausted ? 431
                                                            : 400;
  const std::string text = "the request is refused: " + error.message();
  co_await answer_and_close(client, status, record, text);
}

}  // namespace

std::string refusal(int status, const std::string& rule, const std::string& explanation) {
  std::string text = explanation;
  if (text.empty() || text.back() != '\n') text += '\n';
  std::string answer = "HTTP/1.1 " + std::to_string(status) + " ";
  answer += phrase(status);
  answer += "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
            std::to_string(text.size()) + "\r\nConnection: close\r\n";
  if (!rule.empty()) {
    // A rule's text comes from a file: nothing in it may end the header.
    std::string plain = rule;
    std::replace_if(
        plain.begin(), plain.end(), [](unsigned char c) { return c < 0x20U || c >= 0x7fU; }, '?');
    answer += "X-Ward-Denied: " + plain + "\r\n";
  }
  answer += "\r\n" + text;
  return answer;
}

static tl::unexpected<Error> closed_early(bool before) {
  return fail(ErrorKind::not_found, before ? "the connection was closed before any request"
                                           : "the connection was closed within a head");
}

Task<Result<std::size_t>> read_head(Socket& client, std::string& bytes,
                                    Clock::time_point deadline) {
  for (;;) {
    const std::size_t size = head_size(bytes);  // the greatest number where it is not complete
    if (size <= kMaxHeadBytes) co_return size;
    if (size <= bytes.size() || bytes.size() > kMaxHeadBytes)
      co_return fail(ErrorKind::exhausted, "a head larger than 32 KiB");
    auto more = co_await read_more(client, bytes, 4096, deadline);
    if (!more && more.error().kind() == ErrorKind::busy)
      co_return fail(ErrorKind::busy, "a head that was not complete in time");
    if (!more || *more == 0) co_return closed_early(bytes.empty());
  }
}

Task<void> serve_http(Hub& hub, Socket client) {
  OpenRecord record(hub, Protocol::http);
  Hub::Open open(hub, client, *record);
  std::string bytes;
  const auto size = co_await read_head(client, bytes, Clock::now() + kHeadPatience);
  if (!size) co_return co_await refuse_head(client, *record, size.error());
  auto head = parse_request_head(std::string_view(bytes).substr(0, *size));
  if (head && head->form != RequestHead::Form::authority &&
      head->form != RequestHead::Form::absolute)
    head = fail(ErrorKind::invalid, "a request to a proxy names http://HOST/PATH");
  if (!head) co_return co_await refuse_head(client, *record, head.error());
  bytes.erase(0, *size);
  const bool is_connect = head->form == RequestHead::Form::authority;
  const std::uint16_t usual_port = 80;
  const Target target{head->host, head->port == 0 ? usual_port : head->port,
                      parse_address(head->host).has_value()};
  open.set_target(target);
  if (is_connect) {
    record->protocol = Protocol::connect;
  } else {
    record->kind = RecordKind::request;
    record->method = head->method;
    record->path = head->path.substr(0, head->path.find('?'));
  }
  auto upstream = co_await hub.dial(target, *record);
  if (!upstream) {
    const std::string text = upstream.error().message();
    co_return co_await answer_and_close(client, status_of(upstream.error()), *record, text);
  }
  if (is_connect) {
    const Status sent = co_await write_all(client, kEstablished, Clock::now() + kWritePatience);
    if (!sent) co_return;
  }
  Arrival arrival{std::move(client), std::move(bytes), target, std::move(*upstream),
                  std::move(record)};
  if (is_connect) {
    co_await serve_content(hub, open, std::move(arrival));
  } else {
    co_await serve_request(hub, open, std::move(arrival), *head);
  }
}

}  // namespace ward::egress
