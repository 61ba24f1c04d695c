// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Owners of OpenSSL's objects, and its last error as ours. Included by .cc files only. Source:
// OpenSSL 3.0, ERR_get_error(3).
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

extern "C" {
struct bio_st;
struct evp_pkey_st;
struct ssl_ctx_st;
struct ssl_session_st;
struct x509_st;
}

namespace ward::egress {

struct OpensslFree {
  void operator()(bio_st* object) const;
  void operator()(evp_pkey_st* object) const;
  void operator()(ssl_ctx_st* object) const;
  void operator()(ssl_session_st* object) const;
  void operator()(x509_st* object) const;
};
template <class T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

// The cipher suites of TLS 1.3 by preference: that of AES-128 is the fastest and strong enough.
inline constexpr const char* kCipherSuites =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

// "op: what OpenSSL said"; empties its queue of errors.
Error openssl_error(const std::string& op);

}  // namespace ward::egress
