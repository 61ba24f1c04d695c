// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/http_head.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>

#include "egress/decide.h"
#include "policy/quantities.h"

namespace ward::egress {

namespace {

namespace http = boost::beast::http;

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::size_t kMaxMethod = 24;
constexpr unsigned kMaxSizeDigits = 15;  // of a chunk: below 2^60
constexpr std::uint64_t kMaxLength = 1ULL << 60U;

tl::unexpected<Error> bad(std::string message) {
  return fail(ErrorKind::invalid, std::move(message));
}

bool same(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

bool is_token_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

// What servers read differently is refused before anybody parses it: bare CR or LF, NUL, folded
// lines, space before a colon, an empty name.
Status check_lines(std::string_view head) {
  bool first = true;
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = head.find("\r\n", begin);
    if (end == std::string_view::npos) return bad("a line that does not end");
    const std::string_view line = head.substr(begin, end - begin);
    begin = end + 2;
    for (const char c : line) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0x7fU || (byte < 0x20U && c != '\t'))
        return bad("a control character in the head");
    }
    if (line.empty()) return begin == head.size() ? Status() : bad("an empty line in the head");
    if (!first) {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos || colon == 0 ||
          !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                       is_token_char))
        return bad("a line that is no header");
    }
    first = false;
  }
  return bad("a head without an end");
}

// "HOST" or "HOST:PORT".
struct Authority {
  std::string host;
  std::uint16_t port = 0;
};
Result<Authority> parse_authority(std::string_view text) {
  Authority authority;
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const auto host = normalise_host(text.substr(0, colon));
  if (!host) return bad("the target is not a host");
  authority.host = *host;
  if (colon == std::string_view::npos) return authority;
  const auto port = policy::parse_port(text.substr(colon + 1));
  if (!port) return bad("the target's port is not a port");
  authority.port = *port;
  return authority;
}

Status read_target(std::string_view target, RequestHead& head) {
  if (target.empty()) return bad("no target");
  if (head.method == "CONNECT") {
    head.form = RequestHead::Form::authority;
    WARD_ASSIGN(const Authority authority, parse_authority(target));
    if (authority.port == 0) return bad("a CONNECT without a port");
    head.host = authority.host;
    head.port = authority.port;
    return {};
  }
  if (target == "*") {
    head.form = RequestHead::Form::asterisk;
    head.path = "*";
    return {};
  }
  if (target.find('#') != std::string_view::npos) return bad("a target with a fragment");
  if (target.front() == '/') {
    head.path = target;
    return {};
  }
  constexpr std::string_view kScheme = "http://";
  if (!same(target.substr(0, kScheme.size()), kScheme))
    return bad("a target that is neither a path nor http://HOST/ (for https use CONNECT)");
  head.form = RequestHead::Form::absolute;
  target.remove_prefix(kScheme.size());
  const std::size_t end = std::min(target.find_first_of("/?"), target.size());
  WARD_ASSIGN(const Authority authority, parse_authority(target.substr(0, end)));
  head.host = authority.host;
  head.port = authority.port;
  head.path = target.substr(end);
  if (head.path.empty() || head.path.front() == '?') head.path.insert(0, "/");
  return {};
}

struct Framing {
  std::optional<std::string> host, length;
  bool chunked = false, upgrade = false;
};

Status read_framing(RequestHead& head, Framing& framing) {
  for (const RequestHead::Header& header : head.headers) {
    if (same(header.name, "host")) {
      if (framing.host) return bad("two Host headers");
      framing.host = header.value;
    } else if (same(header.name, "content-length")) {
      if (framing.length) return bad("two Content-Length headers");
      framing.length = header.value;
    } else if (same(header.name, "transfer-encoding")) {
      if (framing.chunked) return bad("two Transfer-Encoding headers");
      if (!same(header.value, "chunked")) return bad("a Transfer-Encoding other than chunked");
      framing.chunked = true;
    } else if (same(header.name, "upgrade")) {
      if (framing.upgrade) return bad("two Upgrade headers");
      framing.upgrade = true;
      head.upgrade = same(header.value, "websocket");
    }
  }
  if (framing.chunked && framing.length) return bad("both Content-Length and Transfer-Encoding");
  if (framing.chunked && head.minor_version == 0) return bad("Transfer-Encoding in HTTP/1.0");
  return {};
}

Status read_body(RequestHead& head, const Framing& framing) {
  if (head.method == "CONNECT" && (framing.chunked || framing.length))
    return bad("a CONNECT with a body");
  if (framing.chunked) head.body = RequestHead::Body::chunked;
  if (!framing.length) return {};
  const auto length = policy::parse_count(*framing.length, 0, kMaxLength);
  if (!length) return bad("a Content-Length that is not a number");
  head.length = *length;
  head.body = *length == 0 ? RequestHead::Body::none : RequestHead::Body::length;
  return {};
}

// Host must say what the target says (the attack: the gateway decides by one, the server serves by
// the other).
Status check_host(RequestHead& head, const Framing& framing) {
  if (!framing.host) {
    if (head.minor_version == 1 || head.host.empty()) return bad("no Host header");
    return {};
  }
  WARD_ASSIGN(const Authority host, parse_authority(*framing.host));
  if (head.form == RequestHead::Form::origin || head.form == RequestHead::Form::asterisk) {
    head.host = host.host;
    head.port = host.port;
    return {};
  }
  const std::uint16_t usual = head.form == RequestHead::Form::absolute ? 80 : head.port;
  const auto written = [&](std::uint16_t port) { return port == 0 ? usual : port; };
  if (host.host != head.host || written(host.port) != written(head.port))
    return bad("a Host header unlike the target");
  return {};
}

bool stays_here(const RequestHead& head, std::string_view name) {
  for (const std::string_view own : {"host", "connection", "proxy-connection", "keep-alive", "te",
                                     "trailer", "proxy-authorization", "proxy-authenticate"})
    if (same(name, own)) return true;
  if (same(name, "upgrade")) return !head.upgrade;
  if (same(name, "transfer-encoding") || same(name, "content-length")) return false;
  // What Connection names is for this hop only.
  for (const RequestHead::Header& header : head.headers) {
    if (!same(header.name, "connection")) continue;
    std::string lowered(name);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    std::string_view rest = header.value;
    while (!rest.empty()) {
      std::string_view item = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
      while (!item.empty() && (item.front() == ' ' || item.front() == '\t')) item.remove_prefix(1);
      while (!item.empty() && (item.back() == ' ' || item.back() == '\t')) item.remove_suffix(1);
      if (same(item, lowered) && !same(item, "upgrade")) return true;
    }
  }
  return false;
}

}  // namespace

std::size_t head_size(std::string_view bytes) {
  const std::size_t end = bytes.find(kEndOfHead);
  return end == std::string_view::npos ? end : end + kEndOfHead.size();
}

Likeness looks_like_http(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, kMaxMethod + 1);
  const std::size_t space = start.find(' ');
  const std::string_view method = start.substr(0, space);
  const auto in_method = [](char c) { return is_token_char(c) && !(c >= 'a' && c <= 'z'); };
  if (!std::all_of(method.begin(), method.end(), in_method) || space == 0) return Likeness::no;
  if (space == std::string_view::npos)
    return bytes.size() > kMaxMethod ? Likeness::no : Likeness::more;
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos)
    return bytes.size() > kMaxHeadBytes ? Likeness::no : Likeness::more;
  return bytes.substr(0, end).find(" HTTP/") == std::string_view::npos ? Likeness::no
                                                                       : Likeness::yes;
}

Result<RequestHead> parse_request_head(std::string_view bytes) {
  if (bytes.size() > kMaxHeadBytes) return bad("a head larger than 32 KiB");
  WARD_TRY(check_lines(bytes));
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(kMaxHeadBytes + 1));
  parser.body_limit(boost::none);
  parser.skip(true);  // the head alone
  boost::beast::error_code code;
  const std::size_t used = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), code);
  if (code || used != bytes.size() || !parser.is_header_done())
    return bad(code ? code.message() : "a head that ends too early");
  const auto& message = parser.get();
  RequestHead head;
  head.method = std::string(message.method_string());
  if (head.method.size() > kMaxMethod) return bad("a method longer than 24 characters");
  if (message.version() / 10 != 1) return bad("a version that is not HTTP/1");
  head.minor_version = message.version() % 10;
  for (const auto& field : message) {
    if (head.headers.size() == kMaxHeaders) return bad("more than 200 headers");
    head.headers.push_back({std::string(field.name_string()), std::string(field.value())});
  }
  WARD_TRY(read_target(std::string_view(message.target().data(), message.target().size()), head));
  Framing framing;
  WARD_TRY(read_framing(head, framing));
  WARD_TRY(read_body(head, framing));
  WARD_TRY(check_host(head, framing));
  return head;
}

std::string forwarded_head(const RequestHead& head, std::string_view host, std::uint16_t port) {
  std::string text = head.method + " " + head.path + " HTTP/1." +
                     std::to_string(head.minor_version) + "\r\nHost: ";
  const bool v6 = host.find(':') != std::string_view::npos;
  text += port == 80 ? (v6 ? "[" + std::string(host) + "]" : std::string(host))
                     : host_and_port(host, port);
  text += "\r\n";
  for (const RequestHead::Header& header : head.headers)
    if (!stays_here(head, header.name)) text += header.name + ": " + header.value + "\r\n";
  text += head.upgrade ? "Connection: Upgrade\r\n\r\n" : "Connection: close\r\n\r\n";
  return text;
}

BodyEnd::BodyEnd(RequestHead::Body body, std::uint64_t length) {
  if (body == RequestHead::Body::chunked) state_ = State::size;
  if (body == RequestHead::Body::length && length > 0) {
    state_ = State::counted;
    left_ = length;
  }
}

// One byte of a chunked body that is not data. No extensions and no trailer fields: nobody needs
// them in a request, and servers disagree about them.
Status BodyEnd::step(char c) {
  const auto expect = [&](char wanted, State next) -> Status {
    if (c != wanted) return bad("a chunked body whose framing is wrong");
    state_ = next;
    return {};
  };
  switch (state_) {
    case State::size: {
      const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
      const bool digit = lower >= '0' && lower <= '9';
      if (digit || (lower >= 'a' && lower <= 'f')) {
        if (++digits_ > kMaxSizeDigits) return bad("a chunk that is too large");
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit ? lower - '0' : lower - 'a' + 10);
        return {};
      }
      if (digits_ == 0) return bad("a chunk without a size");
      return expect('\r', State::size_lf);
    }
    case State::size_lf: return expect('\n', left_ == 0 ? State::end_cr : State::data);
    case State::data_cr: return expect('\r', State::data_lf);
    case State::data_lf: digits_ = 0; return expect('\n', State::size);
    case State::end_cr: return expect('\r', State::end_lf);
    case State::end_lf: return expect('\n', State::done);
    case State::counted:
    case State::data:
    case State::done: break;
  }
  return fail(ErrorKind::bug, "a byte of data taken for framing");
}

Result<std::size_t> BodyEnd::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && state_ != State::done) {
    if (state_ != State::counted && state_ != State::data) {
      WARD_TRY(step(bytes[used++]));
      continue;
    }
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - used));
    used += size;
    left_ -= size;
    if (left_ == 0) state_ = state_ == State::counted ? State::done : State::data_cr;
  }
  return used;
}

}  // namespace ward::egress
