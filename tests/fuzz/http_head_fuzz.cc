// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A request as a hostile client sends it. What is accepted and sent on is accepted again and means
// the same, holds no bare line ends, and one request only; the end of a body does not depend on how
// its bytes arrive.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "egress/gateway/http_head.h"

namespace {

using namespace ward::egress;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_body(RequestHead::Body kind, std::uint64_t length, std::string_view bytes) {
  BodyEnd whole(kind, length);
  const auto used = whole.feed(bytes);
  BodyEnd single(kind, length);
  std::size_t count = 0;
  bool good = true;
  while (good && count < bytes.size() && !single.done()) {
    const auto one = single.feed(bytes.substr(count, 1));
    good = one.has_value();
    if (good) count += *one;
  }
  require(good == used.has_value());
  if (used) require(*used == count && whole.done() == single.done());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)looks_like_http(bytes);
  check_body(RequestHead::Body::chunked, 0, bytes);
  const std::size_t end = head_size(bytes);
  if (end == std::string_view::npos) return 0;
  const auto head = parse_request_head(bytes.substr(0, end));
  if (!head) return 0;
  check_body(head->body, head->length, bytes.substr(end));
  if (head->form == RequestHead::Form::authority) return 0;
  const std::uint16_t port = head->port == 0 ? 80 : head->port;
  const std::string sent = forwarded_head(*head, head->host, port);
  require(head_size(sent) == sent.size());
  const auto again = parse_request_head(sent);
  if (!again) {
    // Only for having grown: a Host and a Connection header came in.
    require(sent.size() > kMaxHeadBytes || head->headers.size() + 2 > kMaxHeaders);
    return 0;
  }
  require(again->method == head->method && again->path == head->path);
  require(again->host == head->host && (again->port == 0 ? 80 : again->port) == port);
  require(again->body == head->body && again->length == head->length);
  require(again->form == RequestHead::Form::origin || again->form == RequestHead::Form::asterisk);
  return 0;
}
