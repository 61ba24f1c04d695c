// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// GatewaySpec: all that the gateway of one sandbox is told at its start and at each reload of its
// policy. It holds the secrets' values, so it exists only in the memory of the supervisor and of
// the gateway and in the sealed memory file between them: never in an argument, a variable or a
// file with a name. A value; pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "egress/secrets.h"
#include "policy/policy.h"

namespace ward::egress {

// Whether the gateway makes a certificate authority for this sandbox: only where something (a
// request rule, a secret, a gate) makes it read what is inside TLS.
enum class Interception : std::uint8_t { none, wanted };

struct GatewaySpec {
  std::string sandbox;              // its id, for messages
  policy::Network network;          // presets already resolved into `allow`
  std::vector<Secret> secrets;      // with their values and placeholders
  std::vector<policy::Gate> gates;  // those of kind request
  Interception interception = Interception::none;
  // The certificates that upstream servers are verified against; empty: the host's own bundle.
  std::string trust_bundle_pem;
  // "ADDRESS:PORT" of the servers that resolve names; empty: as the host is set up.
  std::vector<std::string> name_servers;
};

inline constexpr std::size_t kMaxSpecBytes = 16U << 20U;

// Whether something for this host needs the content of its connections to be read.
bool needs_interception(const GatewaySpec& spec);

std::string serialise(const GatewaySpec& spec);
// Refuses (bug) what serialise() did not write.
Result<GatewaySpec> parse_spec(std::string_view bytes);

}  // namespace ward::egress
