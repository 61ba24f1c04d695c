// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/openssl.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>

namespace ward::egress {

void OpensslFree::operator()(bio_st* object) const { ::BIO_free_all(object); }
void OpensslFree::operator()(evp_pkey_st* object) const { ::EVP_PKEY_free(object); }
void OpensslFree::operator()(ssl_ctx_st* object) const { ::SSL_CTX_free(object); }
void OpensslFree::operator()(ssl_session_st* object) const { ::SSL_SESSION_free(object); }
void OpensslFree::operator()(x509_st* object) const { ::X509_free(object); }

Error openssl_error(const std::string& op) {
  std::array<char, 256> text = {};
  const unsigned long code = ::ERR_get_error();
  if (code != 0) ::ERR_error_string_n(code, text.data(), text.size());
  ::ERR_clear_error();
  return {ErrorKind::io, op + (code == 0 ? std::string() : ": " + std::string(text.data()))};
}

}  // namespace ward::egress
