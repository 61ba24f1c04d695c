// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/trust.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <map>
#include <utility>

#include "egress/address.h"
#include "egress/gateway/openssl.h"

namespace ward::egress {

namespace {

constexpr std::size_t kMaxSessions = 1024;

}  // namespace

struct UpstreamTrust::State {
  using Server = std::pair<std::string, std::uint16_t>;
  std::string bundle;
  OpensslPtr<SSL_CTX> context;
  std::map<Server, OpensslPtr<SSL_SESSION>> sessions;

  Status open();
  Status add_certificates();
};

namespace {

// Which server a connection goes to, for the callback about its session.
struct Label {
  UpstreamTrust::State* state;
  UpstreamTrust::State::Server server;
};

int label_index() {
  static const int kIndex = ::SSL_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* label, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<Label*>(label);
      });
  return kIndex;
}

int keep_session(SSL* ssl, SSL_SESSION* session) {
  const auto* label = static_cast<const Label*>(::SSL_get_ex_data(ssl, label_index()));
  if (label == nullptr) return 0;
  auto& sessions = label->state->sessions;
  if (sessions.size() >= kMaxSessions) sessions.clear();
  sessions.insert_or_assign(label->server, OpensslPtr<SSL_SESSION>(session));
  return 1;  // the session is ours now
}

}  // namespace

Status UpstreamTrust::State::add_certificates() {
  const OpensslPtr<BIO> memory(::BIO_new_mem_buf(bundle.data(), static_cast<int>(bundle.size())));
  X509_STORE* store = ::SSL_CTX_get_cert_store(context.get());
  int found = 0;
  while (memory) {
    const OpensslPtr<X509> certificate(
        ::PEM_read_bio_X509_AUX(memory.get(), nullptr, nullptr, nullptr));
    if (!certificate) break;
    if (::X509_STORE_add_cert(store, certificate.get()) == 1) ++found;
  }
  ::ERR_clear_error();  // the end of the bundle
  if (found == 0)
    return fail(Error(ErrorKind::invalid, "there is no certificate authority to verify servers by")
                    .with_remedy("install ca-certificates, or name a bundle in SSL_CERT_FILE"));
  return {};
}

Status UpstreamTrust::State::open() {
  if (context) return {};
  context.reset(::SSL_CTX_new(::TLS_client_method()));
  if (!context || ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      ::SSL_CTX_set_ciphersuites(context.get(), kCipherSuites) != 1)
    return fail(openssl_error("prepare TLS"));
  WARD_TRY(add_certificates());
  ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  ::SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_session_cache_mode(context.get(),
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  ::SSL_CTX_sess_set_new_cb(context.get(), &keep_session);
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  ::SSL_CTX_set_alpn_protos(context.get(), kHttp11, sizeof kHttp11);
  return {};
}

UpstreamTrust::UpstreamTrust(std::string bundle_pem) : state_(std::make_unique<State>()) {
  state_->bundle = std::move(bundle_pem);
}
UpstreamTrust::~UpstreamTrust() = default;

Result<ssl_st*> UpstreamTrust::client_for(const std::string& host, std::uint16_t port) {
  if (const Status opened = state_->open(); !opened) {
    state_->context.reset();
    return fail(opened.error());
  }
  struct Free {
    void operator()(SSL* one) const { ::SSL_free(one); }
  };
  std::unique_ptr<SSL, Free> ssl(::SSL_new(state_->context.get()));
  if (!ssl) return fail(openssl_error("prepare TLS"));
  bool ready = false;
  if (parse_address(host)) {
    ready = ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl.get()), host.c_str()) == 1;
  } else {
    ::SSL_set_hostflags(ssl.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    ready = ::SSL_set1_host(ssl.get(), host.c_str()) == 1 &&
            SSL_set_tlsext_host_name(ssl.get(), host.c_str()) == 1;
  }
  auto label = std::make_unique<Label>(Label{state_.get(), {host, port}});
  if (!ready || ::SSL_set_ex_data(ssl.get(), label_index(), label.get()) != 1)
    return fail(openssl_error("prepare TLS for " + host));
  [[maybe_unused]] const Label* const freed_with_the_connection = label.release();
  if (const auto found = state_->sessions.find({host, port}); found != state_->sessions.end())
    ::SSL_set_session(ssl.get(), found->second.get());
  return ssl.release();
}

}  // namespace ward::egress
