// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/authority.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <unordered_map>

#include "egress/address.h"
#include "egress/gateway/openssl.h"

namespace ward::egress {

namespace {

// Backdated, since clocks of a test's or a container's own may lag.
constexpr long kBackdatedSeconds = 24L * 3600, kValidSeconds = 90L * 24 * 3600;
// A leaf is made anew well before it ends.
constexpr auto kKept = std::chrono::hours(24L * 30);
constexpr std::size_t kMaxCommonName = 64;

using Key = OpensslPtr<EVP_PKEY>;
using Certificate = OpensslPtr<X509>;

Result<Key> make_key() {
  Key key(::EVP_EC_gen("P-256"));
  if (!key) return fail(openssl_error("make a key"));
  return key;
}

struct Extension {
  int id;
  const char* value;
};

bool add_extensions(X509* certificate, X509* issuer, std::initializer_list<Extension> extensions) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  for (const Extension& one : extensions) {
    X509_EXTENSION* extension = ::X509V3_EXT_conf_nid(nullptr, &context, one.id, one.value);
    if (extension == nullptr) return false;
    const bool added = ::X509_add_ext(certificate, extension, -1) == 1;
    ::X509_EXTENSION_free(extension);
    if (!added) return false;
  }
  return true;
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes = {};
  if (::RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7fU) | 0x40U);  // positive, never short
  BIGNUM* number = ::BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr);
  const bool set = number != nullptr &&
                   ::BN_to_ASN1_INTEGER(number, ::X509_get_serialNumber(certificate)) != nullptr;
  ::BN_free(number);
  return set;
}

bool set_name(X509* certificate, std::string_view common_name) {
  const std::string text(common_name.substr(0, kMaxCommonName));
  X509_NAME* name = ::X509_get_subject_name(certificate);
  return ::X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC,
                                      reinterpret_cast<const unsigned char*>("Ward"), -1, -1,
                                      0) == 1 &&
         ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                      reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1,
                                      0) == 1;
}

// A certificate without its extensions and signature.
Certificate blank(EVP_PKEY* key, std::string_view common_name) {
  Certificate certificate(::X509_new());
  const bool made =
      certificate && ::X509_set_version(certificate.get(), 2) == 1 &&
      set_serial(certificate.get()) && set_name(certificate.get(), common_name) &&
      ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -kBackdatedSeconds) != nullptr &&
      ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), kValidSeconds) != nullptr &&
      ::X509_set_pubkey(certificate.get(), key) == 1;
  return made ? std::move(certificate) : nullptr;
}

Result<Certificate> make_root(EVP_PKEY* key, std::string_view sandbox) {
  Certificate root = blank(key, "Ward sandbox " + std::string(sandbox));
  const bool made = root &&
                    ::X509_set_issuer_name(root.get(), ::X509_get_subject_name(root.get())) == 1 &&
                    add_extensions(root.get(), root.get(),
                                   {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                    {NID_key_usage, "critical,keyCertSign,cRLSign"},
                                    {NID_subject_key_identifier, "hash"}}) &&
                    ::X509_sign(root.get(), key, ::EVP_sha256()) != 0;
  if (!made) return fail(openssl_error("make the sandbox's certificate authority"));
  return root;
}

Result<std::string> pem_of(X509* certificate) {
  const OpensslPtr<BIO> memory(::BIO_new(::BIO_s_mem()));
  if (!memory || ::PEM_write_bio_X509(memory.get(), certificate) != 1)
    return fail(openssl_error("write a certificate"));
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

// HTTP/1.1 is what is spoken inside; a client that offers only something else is told so at once.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void*) {
  static constexpr std::array<unsigned char, 9> kHttp11 = {8,   'h', 't', 't', 'p',
                                                           '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (::SSL_select_next_proto(&chosen, out_size, kHttp11.data(), kHttp11.size(), in, in_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

struct Authority::Keys {
  struct Leaf {
    OpensslPtr<SSL_CTX> context;
    std::chrono::steady_clock::time_point made;
  };
  Key root_key, leaf_key;
  Certificate root;
  std::string pem;
  std::unordered_map<std::string, Leaf> leaves;

  Result<Certificate> make_leaf(const std::string& host) const {
    Certificate leaf = blank(leaf_key.get(), host);
    const std::string alternative = (parse_address(host) ? "IP:" : "DNS:") + host;
    const bool made =
        leaf && ::X509_set_issuer_name(leaf.get(), ::X509_get_subject_name(root.get())) == 1 &&
        add_extensions(leaf.get(), root.get(),
                       {{NID_basic_constraints, "critical,CA:FALSE"},
                        {NID_key_usage, "critical,digitalSignature"},
                        {NID_ext_key_usage, "serverAuth"},
                        {NID_subject_key_identifier, "hash"},
                        {NID_authority_key_identifier, "keyid"},
                        {NID_subject_alt_name, alternative.c_str()}}) &&
        ::X509_sign(leaf.get(), root_key.get(), ::EVP_sha256()) != 0;
    if (!made) return fail(openssl_error("make a certificate for " + host));
    return leaf;
  }
};

Authority::Authority(std::unique_ptr<Keys> keys) : keys_(std::move(keys)) {}
Authority::Authority(Authority&&) noexcept = default;
Authority& Authority::operator=(Authority&&) noexcept = default;
Authority::~Authority() = default;

Result<Authority> Authority::make(std::string_view sandbox) {
  auto keys = std::make_unique<Keys>();
  WARD_ASSIGN(keys->root_key, make_key());
  WARD_ASSIGN(keys->leaf_key, make_key());
  WARD_ASSIGN(keys->root, make_root(keys->root_key.get(), sandbox));
  WARD_ASSIGN(keys->pem, pem_of(keys->root.get()));
  return Authority(std::move(keys));
}

const std::string& Authority::certificate_pem() const { return keys_->pem; }

Result<ssl_ctx_st*> Authority::context_for(const std::string& host) {
  const auto now = std::chrono::steady_clock::now();
  if (const auto found = keys_->leaves.find(host); found != keys_->leaves.end()) {
    if (now - found->second.made < kKept) return found->second.context.get();
    keys_->leaves.erase(found);
  }
  WARD_ASSIGN(const Certificate leaf, keys_->make_leaf(host));
  OpensslPtr<SSL_CTX> context(::SSL_CTX_new(::TLS_server_method()));
  const bool made = context &&
                    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1 &&
                    ::SSL_CTX_set_ciphersuites(context.get(), kCipherSuites) == 1 &&
                    ::SSL_CTX_use_certificate(context.get(), leaf.get()) == 1 &&
                    ::SSL_CTX_use_PrivateKey(context.get(), keys_->leaf_key.get()) == 1;
  if (!made) return fail(openssl_error("prepare TLS for " + host));
  ::SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_CIPHER_SERVER_PREFERENCE);
  ::SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_alpn_select_cb(context.get(), &choose_protocol, nullptr);
  if (keys_->leaves.size() >= kMaxHosts) keys_->leaves.clear();
  return keys_->leaves.emplace(host, Keys::Leaf{std::move(context), now})
      .first->second.context.get();
}

}  // namespace ward::egress
