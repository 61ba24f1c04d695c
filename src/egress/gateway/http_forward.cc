// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/http_forward.h"

#include <algorithm>
#include <array>
#include <span>

#include "egress/decide.h"
#include "egress/encoding.h"
#include "egress/scrub.h"
#include "policy/explain.h"

namespace ward::egress {

namespace {

using Refused = tl::unexpected<RequestRefusal>;

// About the connection, not the message; or written anew.
constexpr std::array<std::string_view, 13> kOwnFields = {"connection",
                                                         "content-length",
                                                         "expect",
                                                         "host",
                                                         "http2-settings",
                                                         "keep-alive",
                                                         "proxy-authenticate",
                                                         "proxy-authorization",
                                                         "proxy-connection",
                                                         "te",
                                                         "trailer",
                                                         "transfer-encoding",
                                                         "upgrade"};
// Headers by which some servers take a request for one with another method.
constexpr std::array<std::string_view, 3> kMethodOverrides = {
    "x-http-method", "x-http-method-override", "x-method-override"};
// And for one of another path: neither a rule nor a gate would see that.
constexpr std::array<std::string_view, 2> kPathOverrides = {"x-original-url", "x-rewrite-url"};

bool is_own(const HttpHead& head, std::string_view name) {
  return std::any_of(kOwnFields.begin(), kOwnFields.end(),
                     [&](std::string_view own) { return equal_ignoring_case(own, name); }) ||
         head.lists("connection", name);
}

Refused refused(std::string rule, std::string reason, std::string remedy) {
  return Refused({std::move(rule), std::move(reason), std::move(remedy)});
}

// Many servers see no difference between "_" and "-" in a header's name (RFC 3875, 4.1.18).
bool is_one_of(std::span<const std::string_view> names, const HttpField& field) {
  std::string name = field.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view one) { return equal_ignoring_case(one, name); });
}

std::vector<std::string_view> method_overrides(const HttpHead& head) {
  std::vector<std::string_view> methods;
  for (const HttpField& field : head.fields)
    if (is_one_of(kMethodOverrides, field)) methods.emplace_back(field.value);
  return methods;
}

Refused misplaced(const Secret& secret, std::string reason) {
  std::string hosts;
  for (const std::string& host : secret.rule.hosts) hosts += (hosts.empty() ? "" : ", ") + host;
  return refused(
      "secret " + secret.rule.name + " (" + secret.rule.origin.describe() + ")", std::move(reason),
      "send it to " + hosts + " over HTTPS, in the header " +
          (secret.rule.header.empty() ? std::string(kDefaultSecretHeader) : secret.rule.header));
}

// Whether the request is one that this gateway sends on at all.
tl::expected<void, RequestRefusal> check_target(const RequestHead& request,
                                                const RequestContext& context) {
  constexpr const char* kCheck = "the check of requests";
  if (request.form != RequestHead::Form::origin && request.form != RequestHead::Form::asterisk)
    return refused(kCheck, "its target is not a path",
                   "ask for the path, as an origin server expects");
  if (request.form == RequestHead::Form::asterisk && request.method != "OPTIONS")
    return refused(kCheck, "its target is not a path",
                   "ask for the path, as an origin server expects");
  if (request.host != context.host || (request.port != 0 && request.port != context.port))
    return refused("the check of names",
                   "its Host is " + request.host + ", and the connection is to " +
                       host_and_port(context.host, context.port),
                   "connect to the host that is meant");
  // TRACE sends back what it got, CONNECT would hide where to.
  if (request.method == "CONNECT" || request.method == "TRACE")
    return refused(kCheck, "its method is " + request.method, "use another method");
  return {};
}

// One field, as it is sent on: secrets put in.
tl::expected<std::string, RequestRefusal> field_value(const HttpField& field,
                                                      const RequestContext& context,
                                                      ForwardedRequest& forwarded) {
  HeaderOutcome outcome =
      context.secrets.put_in(field.name, field.value, context.host, context.channel);
  switch (outcome.kind) {
    case HeaderOutcome::Kind::untouched: return field.value;
    case HeaderOutcome::Kind::refused: return misplaced(*outcome.secret, std::move(outcome.reason));
    case HeaderOutcome::Kind::put_in: break;
  }
  auto& names = forwarded.secrets;
  if (std::find(names.begin(), names.end(), outcome.secret->rule.name) == names.end())
    names.push_back(outcome.secret->rule.name);
  return std::move(outcome.value);
}

// What would make an answer unreadable here: it must be searched for values.
bool hides_answer(std::string_view name) {
  return equal_ignoring_case(name, "accept-encoding") ||
         equal_ignoring_case(name, "sec-websocket-extensions") ||
         // A part of an answer may hold a part of a value.
         equal_ignoring_case(name, "range") || equal_ignoring_case(name, "if-range");
}

std::string host_field(const RequestContext& context) {
  std::string text = host_and_port(context.host, context.port);
  if (context.port == (context.channel == Channel::plain ? 80 : 443)) text.resize(text.rfind(':'));
  return text;
}

void add_framing(std::string& text, BodyKind body, std::uint64_t size, bool says_zero) {
  if (body == BodyKind::chunked) text += "Transfer-Encoding: chunked\r\n";
  if (body == BodyKind::sized || (body == BodyKind::none && says_zero))
    text += "Content-Length: " + std::to_string(size) + "\r\n";
}

}  // namespace

RequestRefusal misplaced_placeholder(const SecretSet& secrets, std::string_view text,
                                     std::string_view where) {
  const Secret* secret = secrets.find_placeholder(text);
  if (secret == nullptr) return {};
  return misplaced(*secret, "the placeholder of " + secret->rule.name + " is " + std::string(where))
      .value();
}

tl::expected<ForwardedRequest, RequestRefusal> forward_request(const HttpHead& head,
                                                               const RequestContext& context) {
  const RequestHead& request = head.request;
  if (auto checked = check_target(request, context); !checked)
    return Refused(std::move(checked.error()));
  ForwardedRequest forwarded;
  if (context.rules.speak_of(context.host))
    for (const HttpField& field : head.fields)
      if (is_one_of(kPathOverrides, field))
        return refused("network.rules", "its header " + field.name + " could name another path",
                       "leave the header out");
  RequestVerdict verdict =
      context.rules.decide({context.host, request.method, request.path, method_overrides(head)});
  if (!verdict.allowed)
    return refused(std::move(verdict.rule), std::move(verdict.reason), std::move(verdict.remedy));
  forwarded.rule = std::move(verdict.rule);
  forwarded.gate = verdict.gate;
  forwarded.head_only = request.method == "HEAD";
  forwarded.upgrade = request.upgrade;
  forwarded.scrubbed = context.secrets.names(context.host);
  for (const std::string_view text :
       {std::string_view(request.method), std::string_view(request.path)})
    if (const Secret* secret = context.secrets.find_placeholder(text))
      return misplaced(*secret, "the placeholder of " + secret->rule.name + " is in its URL");

  forwarded.head =
      request.method + " " + request.path + " HTTP/1.1\r\nHost: " + host_field(context) + "\r\n";
  for (const HttpField& field : head.fields) {
    auto value = field_value(field, context, forwarded);
    if (!value) return Refused(std::move(value.error()));
    if (is_own(head, field.name) || (forwarded.scrubbed && hides_answer(field.name))) continue;
    forwarded.head += field.name + ": " + *value + "\r\n";
  }
  if (forwarded.scrubbed) forwarded.head += "Accept-Encoding: identity\r\n";
  if (forwarded.upgrade) forwarded.head += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  add_framing(forwarded.head, head.body, head.size, head.count("content-length") != 0);
  forwarded.head += "\r\n";
  return forwarded;
}

ForwardedResponse forward_response(const HttpHead& head, const ForwardedRequest& request,
                                   const SecretSet& secrets, bool client_is_http10,
                                   bool keep_alive) {
  ForwardedResponse forwarded;
  forwarded.body = head.body;
  if (head.body == BodyKind::until_close && !client_is_http10) forwarded.body = BodyKind::chunked;
  if (head.body == BodyKind::chunked && client_is_http10) forwarded.body = BodyKind::until_close;
  const auto clean = [&](const std::string& text) {
    return request.scrubbed ? scrubbed(text, secrets.values()) : text;
  };
  const bool switching = head.status == 101;
  // An answer to HEAD, and a 304, tell the length of a body that they do not have.
  const bool tells_length =
      head.body == BodyKind::none && (request.head_only || head.status == 304);
  std::string& text = forwarded.head;
  text = "HTTP/1.1 " + std::to_string(head.status) + " " + clean(head.reason) + "\r\n";
  for (const HttpField& field : head.fields) {
    const bool length = equal_ignoring_case(field.name, "content-length");
    if (is_own(head, field.name) && !(length && tells_length)) continue;
    text += clean(field.name) + ": " + clean(field.value) + "\r\n";
  }
  const bool empty =
      head.body == BodyKind::none && head.count("content-length") != 0 && !tells_length;
  add_framing(text, forwarded.body, head.size, empty && head.status >= 200 && head.status != 204);
  if (switching) {
    text += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  } else {
    text += keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  }
  text += "\r\n";
  return forwarded;
}

bool is_encoded(const HttpHead& response) {
  return std::any_of(response.fields.begin(), response.fields.end(), [](const HttpField& field) {
    return equal_ignoring_case(field.name, "content-encoding") &&
           !equal_ignoring_case(field.value, "identity") && !field.value.empty();
  });
}

std::string explain(const RequestContext& context, const HttpHead& head,
                    const RequestRefusal& refusal) {
  policy::Explanation explanation;
  explanation.subject = host_and_port(context.host, context.port);
  policy::Explanation::Line line;
  line.act = head.request.method + " " + head.request.path.substr(0, head.request.path.find('?'));
  line.rule = refusal.rule;
  line.why = refusal.reason;
  line.remedy = refusal.remedy;
  explanation.lines.push_back(std::move(line));
  return explanation.text();
}

}  // namespace ward::egress
