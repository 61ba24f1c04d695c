// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What becomes of the heads that pass an intercepted connection. A request is judged by the rules
// of its host, then written anew: secrets put in, what was meant for the connection left out. A
// response is written anew with the values of secrets taken out. Pure; safe from any thread.
// Sources: RFC 9110 (7.6, 10.1.1), RFC 9112 (9.6), RFC 6455 (4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "egress/gateway/http_reader.h"
#include "egress/request_rules.h"
#include "egress/secrets.h"

namespace ward::egress {

struct RequestContext {
  const RequestRules& rules;
  const SecretSet& secrets;
  std::string_view host;
  std::uint16_t port = 0;
  Channel channel = Channel::verified_tls;
};

// What is told to the client, and to the log.
struct RequestRefusal {
  std::string rule, reason, remedy;
};

// The placeholder in `text`, which is `where` no placeholder belongs ("in its URL").
RequestRefusal misplaced_placeholder(const SecretSet& secrets, std::string_view text,
                                     std::string_view where);

struct ForwardedRequest {
  std::string head;                  // to be sent, its framing included
  std::vector<std::string> secrets;  // the names of those put in
  std::string rule;                  // that permits it; "" where no rule speaks of it
  const policy::Gate* gate = nullptr;
  bool head_only = false;  // its answer has no body
  bool upgrade = false;    // asks to go on as a WebSocket
  bool scrubbed = false;   // values are taken out of the answer
};

// Preconditions: nothing was sent of it yet.
tl::expected<ForwardedRequest, RequestRefusal> forward_request(const HttpHead& head,
                                                               const RequestContext& context);

// How the client is told where the body ends.
struct ForwardedResponse {
  std::string head;
  BodyKind body = BodyKind::none;
};
ForwardedResponse forward_response(const HttpHead& head, const ForwardedRequest& request,
                                   const SecretSet& secrets, bool client_is_http10,
                                   bool keep_alive);
// A body whose bytes are no text that values could be taken out of.
bool is_encoded(const HttpHead& response);

// "HOST:PORT\n  METHOD PATH: denied by RULE\n ..." as every refusal of Ward reads.
std::string explain(const RequestContext& context, const HttpHead& head,
                    const RequestRefusal& refusal);

}  // namespace ward::egress
