// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// HttpReader takes the HTTP/1 messages out of one side of a connection: head, then body part by
// part, with chunks already opened. Beast parses; what two servers might read differently is
// refused on top of that (http_head.h for requests), and since a message is written anew from what
// was parsed, the other side never sees the sender's own framing. One thread; the stream must
// outlive it. Source: RFC 9112 (5, 6, 7, 11.2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "egress/gateway/http_head.h"
#include "egress/gateway/stream.h"

namespace ward::egress {

using HttpField = RequestHead::Header;

// How the end of a body is known.
enum class BodyKind : std::uint8_t { none, sized, chunked, until_close };

struct HttpHead {
  RequestHead request;  // of a request; its headers are `fields`
  unsigned status = 0;  // of a response
  std::string reason;
  std::vector<HttpField> fields;
  BodyKind body = BodyKind::none;
  std::uint64_t size = 0;   // of a sized body
  bool keep_alive = false;  // as the sender says
  bool is_http10 = false;

  // The only field of that name; nullptr where there is none, or more than one.
  const HttpField* only(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  // Whether a comma-separated list under that name holds the word.
  bool lists(std::string_view name, std::string_view word) const;
  void remove(std::string_view name);
};

enum class MessageKind : std::uint8_t { request, response };
// Of a response: whether its request was one whose answer has no body (HEAD).
enum class BodyRule : std::uint8_t { as_said, never };

class HttpReader {
 public:
  HttpReader(Stream& stream, MessageKind kind);
  ~HttpReader();
  HttpReader(const HttpReader&) = delete;
  HttpReader& operator=(const HttpReader&) = delete;

  // nullopt: the peer closed before a message began. An error of kind `invalid` is the peer's
  // fault.
  Task<Result<std::optional<HttpHead>>> head(BodyRule rule = BodyRule::as_said);
  // The next part of the body, valid until the next call; empty at its end.
  Task<Result<std::string_view>> body();
  // Whether bytes came that belong to no message yet.
  bool has_unread() const;
  // After a switch of protocols: what was read beyond the head.
  std::string take_unread();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ward::egress
