// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// NetworkDecider answers whether a host and port may be reached and which rule says so: deny beats
// rules beats allow, whatever is more specific; what nothing allows is denied. Host patterns: a
// name, `*.x` (subdomains), `**.x` (the apex too), an address, a CIDR block. Pure; immutable after
// construction; safe to share between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace ward::policy {

// "HOST", "HOST:PORT", "[V6]:PORT", "CIDR:PORT" as written in a policy; checked and lower-cased.
// `deny_list` accepts the bare `*` that an allow list refuses.
struct HostPort {
  std::string host;
  std::optional<std::uint16_t> port;
};
enum class HostContext : std::uint8_t { allow, deny };
Result<HostPort> parse_host_pattern(std::string_view text, HostContext context);

// A concrete "HOST[:PORT]" to ask about. No wildcards, no blocks.
Result<HostPort> parse_host(std::string_view text);

// Whether `pattern` (as parse_host_pattern returns it) covers `host` (a name or an address).
bool host_matches(std::string_view pattern, std::string_view host);

struct HostVerdict {
  bool allowed = false;
  const HostRule* rule = nullptr;  // the allow or deny that decided; null: nothing allows it
  std::vector<const RequestRule*> narrowed_by;  // the request rules that apply to the host
};

class NetworkDecider {
 public:
  // `network` must outlive the decider.
  explicit NetworkDecider(const Network& network) : network_(network) {}
  HostVerdict decide(std::string_view host, std::uint16_t port) const;

 private:
  const Network& network_;
};

}  // namespace ward::policy
