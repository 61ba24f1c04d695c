// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// UpstreamTrust: TLS towards the servers outside. Every certificate is verified against the host's
// bundle and the name that was asked for; there is no way to turn that off. Sessions are resumed
// per server. One thread. Sources: SSL_CTX_set_verify(3), X509_check_host(3), RFC 9110 (4.3.4).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct ssl_st;

namespace ward::egress {

class UpstreamTrust {
 public:
  // `bundle_pem`: the certificates of the authorities to believe. They are read at first use, which
  // takes some milliseconds; a bundle without certificates then makes every connection fail.
  explicit UpstreamTrust(std::string bundle_pem);
  ~UpstreamTrust();
  UpstreamTrust(const UpstreamTrust&) = delete;
  UpstreamTrust& operator=(const UpstreamTrust&) = delete;

  // A new TLS client for this server, to be owned by the caller; `host` is a name or an address.
  Result<ssl_st*> client_for(const std::string& host, std::uint16_t port);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ward::egress
