// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/intercept.h"

#include <exception>
#include <utility>

#include "egress/gateway/session.h"
#include "egress/trust_bundle.h"

namespace ward::egress {

namespace {

constexpr std::uint16_t kHttpsPort = 443;

std::shared_ptr<const InterceptRules> compile(const GatewaySpec& spec) {
  return std::make_shared<const InterceptRules>(
      InterceptRules{RequestRules(spec.network.rules, spec.gates), SecretSet(spec.secrets)});
}

class TlsInterceptor final : public Interceptor {
 public:
  TlsInterceptor(Services& services, Authority authority, std::string bundle,
                 std::shared_ptr<const InterceptRules> rules)
      : shared_{services, std::move(authority), UpstreamTrust(std::move(bundle)),
                std::move(rules)} {}

  std::string ca_certificate_pem() const override { return shared_.authority.certificate_pem(); }

  Status reconfigure(const GatewaySpec& next) override {
    shared_.rules = compile(next);
    return {};
  }

  bool wants(const Target& target, Content content) const override {
    const InterceptRules& rules = *shared_.rules;
    if (rules.requests.speak_of(target.host) || rules.secrets.names(target.host)) return true;
    // Where there are placeholders, none may go elsewhere unseen, whatever the host. Ports that a
    // rule names for other protocols stay theirs.
    return !rules.secrets.empty() &&
           (content == Content::http || (content == Content::tls && target.port == kHttpsPort));
  }

  Task<void> serve(Flow flow) override {
    try {
      InterceptSession session(shared_, std::move(flow));
      co_await session.run();
    } catch (const std::exception&) {
      co_return;  // Asio's or the allocator's: the connection is gone, its record is written
    }
  }

 private:
  InterceptShared shared_;
};

}  // namespace

Result<std::unique_ptr<Interceptor>> make_interceptor(Services& services, const GatewaySpec& spec) {
  WARD_ASSIGN(Authority authority, Authority::make(spec.sandbox));
  std::string bundle = spec.trust_bundle_pem;
  if (bundle.empty()) {
    WARD_ASSIGN(bundle, host_trust_bundle(""));
  }
  return std::make_unique<TlsInterceptor>(services, std::move(authority), std::move(bundle),
                                          compile(spec));
}

}  // namespace ward::egress
