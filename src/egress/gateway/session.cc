// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/session.h"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <optional>
#include <utility>

#include "egress/decide.h"
#include "egress/gateway/sessions.h"
#include "egress/scrub.h"

namespace ward::egress {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kHandshakePatience = 30s, kRequestPatience = 60s,
                               kIdlePatience = 5min, kBodyPatience = 10min, kClosePatience = 2s;
constexpr std::size_t kMaxLoggedPath = 1024, kMaxDrained = 1U << 20U, kTunnelBytes = 16U << 10U;

// Looks for placeholders in a stream in parts.
class PlaceholderWatch {
 public:
  explicit PlaceholderWatch(const SecretSet& secrets) : search_(secrets.placeholders()) {}
  // Whether one has been seen.
  bool take(std::string_view part) {
    if (search_.empty()) return false;
    seen_.append(part);
    if (search_.find(seen_)) return true;
    seen_.erase(0, seen_.size() - search_.open_tail(seen_));
    return false;
  }
  // Holds the placeholder, where one has been seen.
  const std::string& seen() const { return seen_; }

 private:
  const ByteSearch& search_;
  std::string seen_;
};

constexpr const char* kRequestCheck = "the check of requests";

std::string path_of(const RequestHead& request) {
  return request.path.substr(0, std::min(request.path.find('?'), kMaxLoggedPath));
}

}  // namespace

struct InterceptSession::Upstream {
  Upstream(std::unique_ptr<Stream> to, std::string where)
      : stream(std::move(to)),
        responses(*stream, MessageKind::response),
        address(std::move(where)) {}
  std::unique_ptr<Stream> stream;
  HttpReader responses;
  std::string address;
};

// One request and its answer.
struct InterceptSession::Exchange {
  Exchange(InterceptShared& shared, const Flow& flow)
      : rules(shared.rules), record(shared.services, flow.record->protocol) {
    record->kind = RecordKind::request;
    record->host = flow.target.host;
    record->port = flow.target.port;
  }
  std::shared_ptr<const InterceptRules> rules;  // those of its beginning, to its end
  OpenRecord record;
  HttpHead head;
  ForwardedRequest forwarded;
  PlaceholderWatch watch{rules->secrets};
  std::optional<std::string_view> first_part;  // of the body, read and not sent
  std::optional<RequestRefusal> refusal;
  bool upload_cut = false;  // the server reads no more of the body; it may have said why
  bool answered = false;    // bytes of an answer are on their way to the client
  bool goes_on = false;     // the client's connection may be used again
};

InterceptSession::InterceptSession(InterceptShared& shared, Flow flow)
    : shared_(shared), flow_(std::move(flow)), watchdog_(shared.services.loop(), [this] {
        if (client_) client_->close();
        if (upstream_) upstream_->stream->close();
      }) {}
InterceptSession::~InterceptSession() = default;

Task<Status> InterceptSession::open_client() {
  if (flow_.content != Content::tls) {
    client_ = plain_stream(std::move(flow_.client), std::move(flow_.early));
    co_return Status();
  }
  const auto context = shared_.authority.context_for(flow_.target.host);
  if (!context) co_return fail(context.error());
  auto stream = server_stream(std::move(flow_.client), std::move(flow_.early), *context);
  if (!stream) co_return fail(stream.error());
  client_ = std::move(*stream);
  watchdog_.allow(kHandshakePatience);
  const Status shaken = co_await tls_handshake(*client_);
  if (!shaken)
    co_return fail(
        Error(shaken.error()).with_context("the program inside and this sandbox's authority"));
  co_return Status();
}

Task<Status> InterceptSession::open_upstream(Record& record) {
  if (upstream_ && !upstream_->responses.has_unread() && !upstream_->stream->is_stale()) {
    record.address = upstream_->address;
    co_return Status();
  }
  upstream_.reset();
  Socket socket = std::move(flow_.upstream);
  std::string address = flow_.record->address;
  if (!socket.is_open()) {
    watchdog_.allow_forever();  // the dialler has deadlines of its own
    auto dialled = co_await shared_.services.dial(flow_.target, record);
    if (!dialled) co_return fail(dialled.error());
    socket = std::move(*dialled);
    address = record.address;
  }
  record.address = address;
  watchdog_.allow(kHandshakePatience);
  if (flow_.content != Content::tls) {
    upstream_ = std::make_unique<Upstream>(plain_stream(std::move(socket), ""), address);
    co_return Status();
  }
  const auto ssl = shared_.trust.client_for(flow_.target.host, flow_.target.port);
  if (!ssl) co_return fail(ssl.error());
  upstream_ = std::make_unique<Upstream>(client_stream(std::move(socket), *ssl), address);
  const Status shaken = co_await tls_handshake(*upstream_->stream);
  if (!shaken) {
    upstream_.reset();
    co_return fail(shaken.error());
  }
  co_return Status();
}

std::string InterceptSession::reason_of(const Error& error, const char* late) const {
  return watchdog_.has_expired() ? late : error.message();
}

Task<void> InterceptSession::run() {
  const Status opened = co_await open_client();
  if (!opened) {
    flow_.record->verdict = RecordVerdict::failed;
    flow_.record->reason = reason_of(opened.error(), "the TLS handshake took too long");
    co_return;
  }
  requests_ = std::make_unique<HttpReader>(*client_, MessageKind::request);
  while (co_await serve_one()) {
  }
  co_await close_gently();
}

Task<bool> InterceptSession::serve_one() {
  watchdog_.allow(requests_->has_unread() ? kRequestPatience : kIdlePatience);
  auto head = co_await requests_->head();
  if (!head && head.error().kind() != ErrorKind::invalid) co_return false;
  if (head && !*head) co_return false;  // closed between requests
  Exchange one(shared_, flow_);
  if (!head) {
    RequestRefusal refused{kRequestCheck, head.error().message(), head.error().remedy()};
    co_return co_await refuse(one, 400, std::move(refused));
  }
  one.head = std::move(**head);
  one.record->method = one.head.request.method;
  one.record->path = path_of(one.head.request);
  const bool goes_on = co_await exchange(one);
  flow_.record->bytes_up += one.record->bytes_up;
  flow_.record->bytes_down += one.record->bytes_down;
  co_return goes_on;
}

std::string InterceptSession::url_of(const Exchange& one, const RequestContext& context) const {
  return (flow_.content == Content::tls ? "https://" : "http://") +
         host_and_port(context.host, context.port) + one.record->path;
}

// A temporary aggregate in the operand of co_await is destroyed twice by g++ 12: each gets a name.
Task<bool> InterceptSession::exchange(Exchange& one) {
  const RequestContext context{
      one.rules->requests, one.rules->secrets, flow_.target.host, flow_.target.port,
      flow_.content == Content::tls ? Channel::verified_tls : Channel::plain};
  auto forwarded = forward_request(one.head, context);
  if (!forwarded) co_return co_await refuse(one, 403, std::move(forwarded.error()));
  one.forwarded = std::move(*forwarded);
  one.record->rule = one.forwarded.rule.empty() ? flow_.record->rule : one.forwarded.rule;
  if (const policy::Gate* gate = one.forwarded.gate; gate != nullptr) {
    watchdog_.allow_forever();  // the gate has a deadline of its own
    Ask question{0, one.head.request.method, url_of(one, context), gate->origin.describe()};
    const Decision decision = co_await shared_.services.ask(std::move(question));
    if (decision.allow == 0) {
      RequestRefusal refused{"gate (" + gate->origin.describe() + ")", decision.reason,
                             "ask again, and have a person approve it"};
      co_return co_await refuse(one, 403, std::move(refused));
    }
    one.record->reason = decision.reason;  // who let it through
  }
  Status passed = co_await look_into_body(one);
  if (passed) passed = co_await open_upstream(*one.record);
  if (passed) passed = co_await send_request(one);
  if (passed) passed = co_await answer_with(one);
  if (!passed) co_return co_await give_up(one, passed.error());
  one.record->verdict = RecordVerdict::allowed;
  if (one.refusal) {  // a WebSocket that was ended
    one.record->verdict = RecordVerdict::denied;
    one.record->rule = one.refusal->rule;
    one.record->reason = one.refusal->reason;
  }
  co_return one.goes_on;
}

// The first part of a body, before anything of its request is sent: most are no larger.
Task<Status> InterceptSession::look_into_body(Exchange& one) {
  if (one.head.body == BodyKind::none) co_return Status();
  watchdog_.allow(kBodyPatience);
  if (one.head.lists("expect", "100-continue")) {
    const Status told = co_await client_->write("HTTP/1.1 100 Continue\r\n\r\n");
    if (!told) co_return fail(told.error());
  }
  const auto part = co_await requests_->body();
  if (!part) co_return fail(part.error());
  one.first_part = *part;
  if (one.watch.take(*part)) co_return misplaced(one);
  co_return Status();
}

Status InterceptSession::misplaced(Exchange& one) {
  one.refusal =
      misplaced_placeholder(one.rules->secrets, one.watch.seen(), "in the request's body");
  return fail(ErrorKind::denied, one.refusal->reason);
}

Task<Status> InterceptSession::send_request(Exchange& one) {
  watchdog_.allow(kBodyPatience);
  if (const Status sent = co_await upstream_->stream->write(one.forwarded.head); !sent) {
    // Closed between two requests: what has not arrived can be sent again on a new connection.
    upstream_.reset();
    const Status opened = co_await open_upstream(*one.record);
    if (!opened) co_return fail(opened.error());
    const Status again = co_await upstream_->stream->write(one.forwarded.head);
    if (!again) co_return fail(again.error());
  }
  one.record->secrets = one.forwarded.secrets;
  one.record->bytes_up += one.forwarded.head.size();
  if (one.head.body == BodyKind::none) co_return Status();
  co_return co_await relay_body(*requests_, *upstream_->stream, one.head.body, one,
                                MessageKind::request);
}

Task<Status> InterceptSession::answer_with(Exchange& one) {
  const BodyRule rule = one.forwarded.head_only ? BodyRule::never : BodyRule::as_said;
  HttpHead head;
  do {  // interim answers are for this hop; 100 was given already
    watchdog_.allow(kBodyPatience);
    auto next = co_await upstream_->responses.head(rule);
    if (!next) co_return fail(next.error());
    if (!*next) co_return fail(ErrorKind::io, "the server closed the connection without an answer");
    head = std::move(**next);
  } while (head.status < 200 && head.status != 101);
  if (head.status == 101 && !one.forwarded.upgrade)
    co_return fail(ErrorKind::invalid, "the server switches to a protocol that nobody asked for");
  // The attack: a value that comes back compressed would pass unseen.
  if (one.forwarded.scrubbed && head.body != BodyKind::none && is_encoded(head))
    co_return fail(ErrorKind::denied,
                   "the server answers compressed although it was asked not to, and a secret could "
                   "be in it");
  one.goes_on = !one.head.is_http10 && one.head.keep_alive && head.status != 101 && !one.upload_cut;
  const ForwardedResponse forwarded =
      forward_response(head, one.forwarded, one.rules->secrets, one.head.is_http10, one.goes_on);
  one.answered = true;
  const Status sent = co_await client_->write(forwarded.head);
  if (!sent) co_return fail(sent.error());
  one.record->bytes_down += forwarded.head.size();
  if (head.status == 101) {
    co_await tunnel(one);
    co_return Status();
  }
  if (forwarded.body != BodyKind::none) {
    const Status relayed = co_await relay_body(upstream_->responses, *client_, forwarded.body, one,
                                               MessageKind::response);
    if (!relayed) co_return fail(relayed.error());
  }
  if (!head.keep_alive || head.body == BodyKind::until_close) upstream_.reset();
  co_return Status();
}

Task<Status> InterceptSession::relay_body(HttpReader& from, Stream& to, BodyKind kind,
                                          Exchange& one, MessageKind what) {
  static const ByteSearch kNothing{{}};
  Scrubber scrubber(what == MessageKind::response && one.forwarded.scrubbed
                        ? one.rules->secrets.values()
                        : kNothing);
  std::uint64_t& bytes =
      what == MessageKind::request ? one.record->bytes_up : one.record->bytes_down;
  std::string chunk;
  for (bool ended = false; !ended;) {
    watchdog_.allow(kBodyPatience);
    const bool peeked = what == MessageKind::request && one.first_part;
    Result<std::string_view> part = one.first_part.value_or("");
    if (peeked)
      one.first_part.reset();
    else
      part = co_await from.body();
    if (!part) co_return fail(part.error());
    ended = part->empty();
    if (what == MessageKind::request && !peeked && one.watch.take(*part)) co_return misplaced(one);
    std::string_view out = ended ? scrubber.finish() : scrubber.take(*part);
    bytes += out.size();
    if (kind == BodyKind::chunked) {
      chunk.clear();
      if (!out.empty()) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        for (int shift = 28; shift >= 0; shift -= 4)
          chunk += kDigits[out.size() >> static_cast<unsigned>(shift) & 15U];
        chunk.append("\r\n").append(out).append("\r\n");
      }
      if (ended) chunk += "0\r\n\r\n";
      out = chunk;
    }
    if (out.empty()) continue;
    const Status sent = co_await to.write(out);
    if (!sent && what == MessageKind::response) co_return fail(sent.error());
    one.upload_cut = !sent;
    if (!sent) break;
  }
  co_return Status();
}

Task<void> InterceptSession::one_way(HttpReader& from, Stream& source, Stream& to, Exchange& one,
                                     MessageKind what) {
  const bool down = what == MessageKind::response;
  static const ByteSearch kNothing{{}};
  Scrubber scrubber(down && one.forwarded.scrubbed ? one.rules->secrets.values() : kNothing);
  std::string buffer = from.take_unread();
  std::size_t size = buffer.size();
  buffer.resize(std::max(size, kTunnelBytes));
  for (;;) {
    const std::string_view part = std::string_view(buffer).substr(0, size);
    if (!down && one.watch.take(part)) {
      (void)misplaced(one);
      break;
    }
    const std::string_view out = scrubber.take(part);
    (down ? one.record->bytes_down : one.record->bytes_up) += out.size();
    if (!out.empty() && !co_await to.write(out)) break;
    watchdog_.allow_forever();
    const auto more = co_await source.read(buffer);
    if (!more || *more == 0) {
      if (const std::string_view rest = scrubber.finish(); !rest.empty())
        (void)co_await to.write(rest);
      break;
    }
    size = *more;
  }
  // Either end closes both: a WebSocket is over when one side is.
  source.close();
  to.close();
}

Task<void> InterceptSession::tunnel(Exchange& one) {
  using namespace asio::experimental::awaitable_operators;
  watchdog_.allow_forever();
  co_await (
      one_way(*requests_, *client_, *upstream_->stream, one, MessageKind::request) &&
      one_way(upstream_->responses, *upstream_->stream, *client_, one, MessageKind::response));
}

Task<bool> InterceptSession::refuse(Exchange& one, int status, RequestRefusal refused) {
  const RequestContext context{one.rules->requests, one.rules->secrets, flow_.target.host,
                               flow_.target.port, Channel::verified_tls};
  one.record->verdict = RecordVerdict::denied;
  one.record->rule = refused.rule;
  one.record->reason = refused.reason;
  const std::string text = explain(context, one.head, refused);
  watchdog_.allow(kClosePatience);
  const std::string answer = refusal(status, refused.rule, text);
  (void)co_await client_->write(answer);
  co_return false;
}

Task<bool> InterceptSession::give_up(Exchange& one, const Error& error) {
  upstream_.reset();
  const std::string reason = reason_of(error, "it took too long");
  if (error.kind() == ErrorKind::denied && !one.answered) {
    RequestRefusal refused{kRequestCheck, reason, error.remedy()};
    if (one.refusal) refused = *one.refusal;
    co_return co_await refuse(one, 403, std::move(refused));
  }
  one.record->verdict =
      error.kind() == ErrorKind::denied ? RecordVerdict::denied : RecordVerdict::failed;
  one.record->reason = reason;
  if (one.answered) {
    client_->close();  // cut, so that nobody takes a part for the whole
    co_return false;
  }
  watchdog_.allow(kClosePatience);
  const std::string answer = refusal(
      502, "", host_and_port(flow_.target.host, flow_.target.port) + "\n  " + reason + "\n");
  (void)co_await client_->write(answer);
  co_return false;
}

// A close with unread bytes would reset the connection and take the last answer away.
Task<void> InterceptSession::close_gently() {
  upstream_.reset();
  client_->end_writing();
  watchdog_.allow(kClosePatience);
  std::string buffer(kTunnelBytes, '\0');
  for (std::size_t drained = 0; drained < kMaxDrained;) {
    const auto size = co_await client_->read(buffer);
    if (!size || *size == 0) break;
    drained += *size;
  }
  client_->close();
}

}  // namespace ward::egress
