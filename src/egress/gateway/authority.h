// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Authority: the certificate authority of one sandbox. It is made when the gateway starts, its keys
// exist in the gateway's memory only and end with it, and only this sandbox trusts it. One thread.
// Sources: RFC 5280 (4.2), CA/Browser Forum Baseline Requirements 7.1.2 (what strict clients want
// of a server's certificate).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct ssl_ctx_st;

namespace ward::egress {

class Authority {
 public:
  // `sandbox` is the id in the authority's name.
  static Result<Authority> make(std::string_view sandbox);
  Authority(Authority&&) noexcept;
  Authority& operator=(Authority&&) noexcept;
  ~Authority();

  const std::string& certificate_pem() const;
  // What ends the TLS of a client that asked for `host` (a name or an address): a certificate for
  // it alone, made at first use and kept. Valid while the authority is, and until the next call.
  Result<ssl_ctx_st*> context_for(const std::string& host);

  // How many hosts are kept; beyond it all are made anew.
  static constexpr std::size_t kMaxHosts = 1024;

 private:
  struct Keys;
  explicit Authority(std::unique_ptr<Keys> keys);
  std::unique_ptr<Keys> keys_;
};

}  // namespace ward::egress
