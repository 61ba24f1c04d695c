// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Resolver: the addresses of a name, asked outside the sandbox by c-ares on the gateway's loop, as
// the host is set up (resolv.conf and hosts) or from the servers it is given. Keeps no answers:
// each connection is checked against what the name leads to now. One thread; outlives its
// questions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "egress/address.h"
#include "egress/gateway/asio.h"

namespace ward::egress {

inline constexpr std::size_t kMaxAddresses = 16;

class Resolver {
 public:
  // Reads the host's configuration: call it before the process confines itself.
  static Result<std::unique_ptr<Resolver>> create(asio::io_context& loop,
                                                  const std::vector<std::string>& name_servers);
  virtual ~Resolver() = default;
  // In the order in which to try them (RFC 6724), at most kMaxAddresses. not_found: no such name;
  // busy: no answer in time.
  virtual Task<Result<std::vector<Address>>> resolve(const std::string& name) = 0;
};

}  // namespace ward::egress
