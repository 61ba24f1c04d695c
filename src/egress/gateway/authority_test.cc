// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "egress/gateway/openssl.h"

namespace ward::egress {
namespace {

using Certificate = OpensslPtr<X509>;

Certificate read_pem(const std::string& pem) {
  const OpensslPtr<BIO> memory(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Certificate(::PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr));
}

// Whether the certificate of `context` is good for `host` in the eyes of who trusts `root` alone.
int verify(SSL_CTX* context, X509* root, const std::string& host) {
  X509_STORE* store = ::X509_STORE_new();
  ::X509_STORE_add_cert(store, root);
  X509_STORE_CTX* check = ::X509_STORE_CTX_new();
  ::X509_STORE_CTX_init(check, store, ::SSL_CTX_get0_certificate(context), nullptr);
  X509_VERIFY_PARAM* wanted = ::X509_STORE_CTX_get0_param(check);
  ::X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
  ::X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  if (::X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1)
    ::X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), 0);
  const int result = ::X509_verify_cert(check) == 1 ? X509_V_OK : ::X509_STORE_CTX_get_error(check);
  ::X509_STORE_CTX_free(check);
  ::X509_STORE_free(store);
  return result;
}

TEST(Authority, ItsCertificatesAreGoodForTheirHostAlone) {
  auto authority = Authority::make("01hzzzzzzzzzzzzzzzzzzzzzzz");
  ASSERT_TRUE(authority) << authority.error().describe();
  const Certificate root = read_pem(authority->certificate_pem());
  ASSERT_TRUE(root);
  std::string longest(63, 'a');
  longest.append(1, '.').append(63, 'b').append(".example");
  const std::vector<std::string> hosts = {"api.example.test", "10.0.0.1", "fd00::1", longest};
  for (const std::string& host : hosts) {
    const auto context = authority->context_for(host);
    ASSERT_TRUE(context) << context.error().describe();
    EXPECT_EQ(verify(*context, root.get(), host), X509_V_OK) << host;
    EXPECT_NE(verify(*context, root.get(), "other.example.test"), X509_V_OK);
    EXPECT_EQ(::SSL_CTX_check_private_key(*context), 1);
  }
}

TEST(Authority, AHostsCertificateIsMadeOnce) {
  auto authority = Authority::make("a");
  ASSERT_TRUE(authority);
  EXPECT_EQ(*authority->context_for("a.test"), *authority->context_for("a.test"));
  EXPECT_NE(*authority->context_for("a.test"), *authority->context_for("b.test"));
}

TEST(Authority, NoOtherSandboxTrustsIt) {
  auto one = Authority::make("a");
  const auto other = Authority::make("a");
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->certificate_pem(), other->certificate_pem());
  const Certificate root = read_pem(other->certificate_pem());
  EXPECT_NE(verify(*one->context_for("a.test"), root.get(), "a.test"), X509_V_OK);
}

TEST(Authority, ItsCertificateSignsServersOnlyAndNoFurtherAuthority) {
  const auto authority = Authority::make("a");
  ASSERT_TRUE(authority);
  const Certificate root = read_pem(authority->certificate_pem());
  EXPECT_EQ(::X509_get_pathlen(root.get()), 0);
  EXPECT_EQ(::X509_get_key_usage(root.get()),
            static_cast<std::uint32_t>(KU_KEY_CERT_SIGN | KU_CRL_SIGN));
  EXPECT_THAT(authority->certificate_pem(), ::testing::Not(::testing::HasSubstr("PRIVATE")));
}

}  // namespace
}  // namespace ward::egress
