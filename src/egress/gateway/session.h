// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// InterceptSession: one intercepted connection, from the client's first bytes to its end. Owns both
// sides. Any error on one side ends both; a refusal is answered, written to the log and ends the
// connection, since what follows a refused head cannot be trusted to be a new one. One thread.
#pragma once

#include <memory>
#include <string>

#include "egress/gateway/authority.h"
#include "egress/gateway/flow.h"
#include "egress/gateway/http_forward.h"
#include "egress/gateway/http_reader.h"
#include "egress/gateway/stream.h"
#include "egress/gateway/trust.h"
#include "egress/gateway/watchdog.h"

namespace ward::egress {

// The rules in force, compiled; a reload makes a new one, and a session looks at each request.
struct InterceptRules {
  RequestRules requests;
  SecretSet secrets;
};

// What the sessions of one gateway share.
struct InterceptShared {
  Services& services;
  Authority authority;
  UpstreamTrust trust;
  std::shared_ptr<const InterceptRules> rules;
};

class InterceptSession {
 public:
  InterceptSession(InterceptShared& shared, Flow flow);
  ~InterceptSession();
  Task<void> run();

 private:
  struct Upstream;
  struct Exchange;

  Task<Status> open_client();
  Task<Status> open_upstream(Record& record);
  std::string url_of(const Exchange& one, const RequestContext& context) const;
  // Whether the connection goes on.
  Task<bool> serve_one();
  Task<bool> exchange(Exchange& one);
  Task<Status> look_into_body(Exchange& one);
  Status misplaced(Exchange& one);
  Task<Status> send_request(Exchange& one);
  Task<Status> answer_with(Exchange& one);
  Task<Status> relay_body(HttpReader& from, Stream& to, BodyKind kind, Exchange& one,
                          MessageKind what);
  Task<void> tunnel(Exchange& one);
  Task<void> one_way(HttpReader& from, Stream& source, Stream& to, Exchange& one, MessageKind what);
  Task<bool> refuse(Exchange& one, int status, RequestRefusal refusal);
  Task<bool> give_up(Exchange& one, const Error& error);
  // What it was, or that it was too late. No coroutine: see io.h.
  std::string reason_of(const Error& error, const char* late) const;
  Task<void> close_gently();

  InterceptShared& shared_;
  Flow flow_;
  Watchdog watchdog_;
  std::unique_ptr<Stream> client_;
  std::unique_ptr<HttpReader> requests_;
  std::unique_ptr<Upstream> upstream_;
};

}  // namespace ward::egress
