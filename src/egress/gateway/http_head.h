// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The head of an HTTP/1 request, read so strictly that no server behind can read it otherwise: what
// is ambiguous (two lengths, a length and a coding, a folded line, a bare line feed, a Host unlike
// the target) is refused, never repaired. Beast parses; the rules are ours. BodyEnd finds where a
// body ends, and nothing behind it is ever forwarded: a request hidden there has nowhere to go.
// Pure; safe from any thread. Sources: RFC 9110 (7.2), RFC 9112 (2.2, 3, 5, 6, 7.1, 11.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ward::egress {

inline constexpr std::size_t kMaxHeadBytes = 32768;
inline constexpr std::size_t kMaxHeaders = 200;

// The size of the head that `bytes` begins with, its empty line included; npos: not complete.
std::size_t head_size(std::string_view bytes);

// Whether the first line is that of an HTTP/1 request: a method in capitals, a space, and HTTP/; so
// that "USER x" and "GET key" of other protocols are not taken for one. `more`: it is not complete.
enum class Likeness : std::uint8_t { no, more, yes };
Likeness looks_like_http(std::string_view bytes);

struct RequestHead {
  enum class Form : std::uint8_t { origin, absolute, authority, asterisk };
  enum class Body : std::uint8_t { none, length, chunked };
  struct Header {
    std::string name, value;
  };
  std::string method;
  Form form = Form::origin;
  std::string host;        // of the target, or of Host in origin-form: normalised
  std::uint16_t port = 0;  // 0: none written
  std::string path;        // with its query; "*" in asterisk-form, "" in authority-form
  unsigned minor_version = 1;
  std::vector<Header> headers;
  Body body = Body::none;
  std::uint64_t length = 0;
  bool upgrade = false;  // asks to go on as a WebSocket; no other upgrade is passed on
};

// `head` is exactly one head. An error says what is wrong, for a 400.
Result<RequestHead> parse_request_head(std::string_view head);

// The head to send on: origin-form, one request (`Connection: close`), without what was meant for a
// proxy, Host as it was decided.
std::string forwarded_head(const RequestHead& head, std::string_view host, std::uint16_t port);

// Counts the bytes of one body.
class BodyEnd {
 public:
  BodyEnd(RequestHead::Body body, std::uint64_t length);
  // How many of `bytes`, which come next, belong to the body. An error where its framing is not
  // strictly right; the body is then never done.
  Result<std::size_t> feed(std::string_view bytes);
  bool done() const { return state_ == State::done; }

 private:
  enum class State : std::uint8_t {
    counted,
    size,
    size_lf,
    data,
    data_cr,
    data_lf,
    end_cr,
    end_lf,
    done
  };
  Status step(char c);

  State state_ = State::done;
  std::uint64_t left_ = 0;
  unsigned digits_ = 0;
};

}  // namespace ward::egress
