// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/http_reader.h"

#include <algorithm>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <limits>

#include "egress/encoding.h"

namespace ward::egress {

namespace http = boost::beast::http;
using Code = boost::beast::error_code;

namespace {

// Most messages are small, and connections many; a body makes the buffers larger.
constexpr std::size_t kFirstRead = 8U << 10U, kReadBytes = 128U << 10U;

Error broken(const std::string& what) {
  return Error(ErrorKind::invalid, what).with_remedy("send HTTP/1.1 as RFC 9112 describes it");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// What Beast lets pass in a response and some clients read in another way.
Status check_response(const HttpHead& head) {
  if (head.count("content-length") > 1) return fail(broken("more than one Content-Length"));
  const std::size_t encodings = head.count("transfer-encoding");
  if (encodings == 0) return {};
  if (encodings > 1 || head.count("content-length") != 0 || head.is_http10 ||
      !equal_ignoring_case(head.only("transfer-encoding")->value, "chunked"))
    return fail(broken("a Transfer-Encoding that is not chunked alone"));
  return {};
}

template <bool isRequest>
HttpHead head_of(const http::parser<isRequest, http::buffer_body>& parser) {
  const auto& message = parser.get();
  HttpHead head;
  if constexpr (!isRequest) {
    head.status = message.result_int();
    head.reason = message.reason();
  }
  for (const auto& field : message)
    head.fields.push_back({std::string(field.name_string()), std::string(field.value())});
  head.is_http10 = message.version() < 11;
  head.keep_alive = parser.keep_alive();
  if (parser.is_done()) {
    head.body = BodyKind::none;
  } else if (parser.chunked()) {
    head.body = BodyKind::chunked;
  } else if (const auto size = parser.content_length(); size) {
    head.body = BodyKind::sized;
    head.size = *size;
  } else {
    head.body = BodyKind::until_close;
  }
  return head;
}

}  // namespace

const HttpField* HttpHead::only(std::string_view name) const {
  const HttpField* found = nullptr;
  for (const HttpField& field : fields) {
    if (!equal_ignoring_case(field.name, name)) continue;
    if (found != nullptr) return nullptr;
    found = &field;
  }
  return found;
}

std::size_t HttpHead::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(),
                    [&](const HttpField& field) { return equal_ignoring_case(field.name, name); }));
}

bool HttpHead::lists(std::string_view name, std::string_view word) const {
  for (const HttpField& field : fields) {
    if (!equal_ignoring_case(field.name, name)) continue;
    for (std::size_t start = 0; start <= field.value.size();) {
      const std::size_t end = std::min(field.value.find(',', start), field.value.size());
      if (equal_ignoring_case(trimmed(std::string_view(field.value).substr(start, end - start)),
                              word))
        return true;
      start = end + 1;
    }
  }
  return false;
}

void HttpHead::remove(std::string_view name) {
  fields.erase(
      std::remove_if(fields.begin(), fields.end(),
                     [&](const HttpField& field) { return equal_ignoring_case(field.name, name); }),
      fields.end());
}

struct HttpReader::State {
  State(Stream& from, MessageKind what) : stream(from), kind(what) {}

  Stream& stream;
  MessageKind kind;
  std::string buffer;
  std::size_t at = 0, end = 0;  // what is unread in it
  std::string part;             // only while there is a body
  std::size_t read_size = kFirstRead;
  std::optional<http::request_parser<http::buffer_body>> request;
  std::optional<http::response_parser<http::buffer_body>> response;
  // What is left of a body of known size: it needs no parser, and is passed on where it lies.
  std::optional<std::uint64_t> sized_left;

  std::string_view unread() const { return std::string_view(buffer).substr(at, end - at); }

  // One read appended to what is unread; false at the end.
  Task<Result<bool>> read_more() {
    std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(at),
              buffer.begin() + static_cast<std::ptrdiff_t>(end), buffer.begin());
    end -= at;
    at = 0;
    if (buffer.size() < end + read_size) buffer.resize(end + read_size);
    const Result<std::size_t> size = co_await stream.read(std::span(buffer).subspan(end));
    end += size.value_or(0);
    if (!size) co_return fail(size.error());
    co_return *size > 0;
  }

  template <bool isRequest>
  Task<Result<std::optional<HttpHead>>> parse_head(
      http::parser<isRequest, http::buffer_body>& parser) {
    parser.header_limit(kMaxHeadBytes);
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    std::optional<RequestHead> strict;
    for (;;) {
      const std::size_t size = isRequest ? head_size(unread()) : 0;
      if (size != std::string::npos && !unread().empty()) {
        if (isRequest) {
          if (size > kMaxHeadBytes) co_return fail(broken("the head is too long"));
          auto read = parse_request_head(unread().substr(0, size));
          if (!read) co_return fail(broken(read.error().message()));
          strict = std::move(*read);
        }
        Code code;
        const std::string_view bytes = unread();
        at += parser.put(asio::const_buffer(bytes.data(), bytes.size()), code);
        if (code && code != http::error::need_more) co_return fail(broken(code.message()));
        if (parser.is_header_done()) break;
      }
      if (unread().size() > kMaxHeadBytes) co_return fail(broken("the head is too long"));
      const bool begun = parser.got_some() || !unread().empty();
      const Result<bool> more = co_await read_more();
      if (!more) co_return fail(more.error());
      if (!*more && !begun) co_return std::nullopt;
      if (!*more) co_return fail(broken("the connection ended within a head"));
    }
    HttpHead head = head_of(parser);
    sized_left.reset();
    if (head.body == BodyKind::sized) sized_left = head.size;
    if (strict) {
      head.request = std::move(*strict);
    } else if (const Status checked = check_response(head); !checked) {
      co_return fail(checked.error());
    }
    co_return head;
  }

  Task<Result<std::string_view>> sized_part() {
    read_size = kReadBytes;
    if (*sized_left == 0) co_return std::string_view();
    if (unread().empty()) {
      const Result<bool> more = co_await read_more();
      if (!more) co_return fail(more.error());
      if (!*more) co_return fail(broken("the connection ended within a message"));
    }
    const std::string_view next = unread().substr(0, *sized_left);
    at += next.size();
    *sized_left -= next.size();
    co_return next;
  }

  template <bool isRequest>
  Task<Result<std::string_view>> parse_body(http::parser<isRequest, http::buffer_body>& parser) {
    auto& body = parser.get().body();
    part.resize(kReadBytes);
    read_size = kReadBytes;
    for (;;) {
      if (parser.is_done()) co_return std::string_view();
      body.data = part.data();
      body.size = part.size();
      body.more = true;
      Code code;
      const std::string_view bytes = unread();
      if (!bytes.empty()) {
        at += parser.put(asio::const_buffer(bytes.data(), bytes.size()), code);
        if (code && code != http::error::need_more && code != http::error::need_buffer)
          co_return fail(broken(code.message()));
      }
      if (const std::size_t size = part.size() - body.size; size > 0)
        co_return std::string_view(part).substr(0, size);
      if (parser.is_done()) co_return std::string_view();
      // Progress without content: the head of a chunk.
      if (!bytes.empty() && unread().size() < bytes.size() && !unread().empty()) continue;
      const Result<bool> more = co_await read_more();
      if (!more) co_return fail(more.error());
      if (!*more) {
        parser.put_eof(code);
        if (code) co_return fail(broken("the connection ended within a message"));
        co_return std::string_view();
      }
    }
  }
};

HttpReader::HttpReader(Stream& stream, MessageKind kind)
    : state_(std::make_unique<State>(stream, kind)) {}
HttpReader::~HttpReader() = default;

Task<Result<std::optional<HttpHead>>> HttpReader::head(BodyRule rule) {
  if (state_->kind == MessageKind::request) {
    state_->request.emplace();
    co_return co_await state_->parse_head(*state_->request);
  }
  state_->response.emplace();
  state_->response->skip(rule == BodyRule::never);
  co_return co_await state_->parse_head(*state_->response);
}

Task<Result<std::string_view>> HttpReader::body() {
  if (state_->sized_left) co_return co_await state_->sized_part();
  if (state_->kind == MessageKind::request) co_return co_await state_->parse_body(*state_->request);
  co_return co_await state_->parse_body(*state_->response);
}

bool HttpReader::has_unread() const { return !state_->unread().empty(); }

std::string HttpReader::take_unread() {
  std::string rest(state_->unread());
  state_->at = state_->end;
  return rest;
}

}  // namespace ward::egress
