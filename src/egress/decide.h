// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the gateway decides by: the policy's rules about a name and a port, and the check of the
// address to which the name leads. A ruling carries the text that `ward policy explain HOST:PORT`
// prints, word for word, which is also the body of a 403. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egress/address.h"
#include "policy/policy.h"

namespace ward::egress {

struct Ruling {
  bool allowed = false;
  bool names_port = false;  // the rule that allows it names this very port
  std::string rule;         // "allow example.org:443 (ward.yaml:7)"
  std::string reason;       // one line
  std::string text;         // the whole explanation, with the remedy
};

// `host` is a lower-case name or an address in canonical text.
Ruling decide(const policy::Network& network, std::string_view host, std::uint16_t port);

// Whether an address is one of this machine's own; only its caller can know.
enum class Ownership : std::uint8_t { foreign, own };

// For an address that the allowed name `host` leads to; also for a literal one (then `host` is its
// text). Loopback, link-local, private and reserved ones must be listed in the policy, as an
// address or in a block; metadata and own ones as an address.
Ruling check_address(const policy::Network& network, std::string_view host, const Address& address,
                     std::uint16_t port, Ownership ownership);

// At which ports the name may be reached, in order; none: it is not allowed. Bounded by the policy.
std::vector<std::uint16_t> allowed_ports(const policy::Network& network, std::string_view host);

// A host as a client writes it (CONNECT, Host, SOCKS5): a lower-case name without a final dot, or
// an address in canonical text without brackets. nullopt: neither, or an odd spelling of an
// address.
std::optional<std::string> normalise_host(std::string_view text);

// "example.org:443", "[fd00::1]:443".
std::string host_and_port(std::string_view host, std::uint16_t port);

}  // namespace ward::egress
