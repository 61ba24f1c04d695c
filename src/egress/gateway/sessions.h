// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// One function a way in. Each owns its connection until it is closed and reported, and never
// throws.
#pragma once

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "egress/gateway/flow.h"
#include "egress/gateway/hub.h"

namespace ward::egress {

Task<void> serve_http(Hub& hub, Socket client);
Task<void> serve_socks(Hub& hub, Socket client);
// The own address of a name, or an allowed address itself.
Task<void> serve_transparent(Hub& hub, Socket client, Target target);
Task<void> serve_host_port(Hub& hub, Socket client, std::uint16_t port);
Task<void> serve_publish(Hub& hub, Socket client, std::uint16_t port);
Task<void> serve_dns_stream(Hub& hub, Socket client);
// The UDP socket, for as long as the gateway runs.
Task<void> serve_dns(Hub& hub, std::shared_ptr<Watched> socket);

// Where every way in arrives: decided, resolved, checked and dialled. Looks at what the client says
// first, then tunnels or hands over. `early` is what was read already.
struct Arrival {
  Socket client;
  std::string early;
  Target target;
  Socket upstream;
  OpenRecord record;
};
Task<void> serve_content(Hub& hub, Hub::Open& open, Arrival arrival);

// One plain request whose head was read, decided and dialled; `early` begins with what came behind
// the head.
struct RequestHead;
Task<void> serve_request(Hub& hub, Hub::Open& open, Arrival arrival, const RequestHead& head);

// The size of the head that `bytes` begins with, reading what is missing. not_found: closed before;
// busy: too slow; exhausted: too large.
Task<Result<std::size_t>> read_head(Socket& socket, std::string& bytes, Clock::time_point deadline);

// An answer of the gateway itself, with an explanation as plain text.
std::string refusal(int status, const std::string& rule, const std::string& text);

}  // namespace ward::egress
