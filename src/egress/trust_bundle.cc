// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/trust_bundle.h"

#include <array>

#include "sys/file.h"

namespace ward::egress {

namespace {

constexpr std::uint64_t kMaxBundleBytes = 8U << 20U;

// Debian and its like, Fedora and its like, openSUSE, Alpine.
constexpr std::array kBundles = {"/etc/ssl/certs/ca-certificates.crt",
                                 "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                 "/etc/ssl/cert.pem"};

struct TrustVariable {
  const char* name;
  const char* reader;  // why it is set
};
constexpr std::array kTrustVariables = {
    TrustVariable{"SSL_CERT_FILE", "OpenSSL, Go, rustls, Ruby, PHP"},
    TrustVariable{"CURL_CA_BUNDLE", "curl where it is built without OpenSSL"},
    TrustVariable{"REQUESTS_CA_BUNDLE", "Python's requests"},
    TrustVariable{"PIP_CERT", "pip, which carries a bundle of its own"},
    TrustVariable{"NODE_EXTRA_CA_CERTS", "node, npm and what is built on it"},
    TrustVariable{"GIT_SSL_CAINFO", "git"},
    TrustVariable{"CARGO_HTTP_CAINFO", "cargo"},
    TrustVariable{"AWS_CA_BUNDLE", "the AWS command line"},
    TrustVariable{"DENO_CERT", "deno"},
};

}  // namespace

Result<std::string> host_trust_bundle(std::string_view ssl_cert_file) {
  if (!ssl_cert_file.empty())
    return in_context(sys::read_file(std::string(ssl_cert_file), kMaxBundleBytes), "SSL_CERT_FILE");
  for (const char* path : kBundles) {
    auto bundle = sys::read_file(path, kMaxBundleBytes);
    if (bundle) return bundle;
  }
  return fail(Error(ErrorKind::not_found,
                    "this machine has no bundle of certificate authorities, so no server can be "
                    "verified")
                  .with_remedy("install ca-certificates, or name a bundle in SSL_CERT_FILE"));
}

std::vector<std::string> usual_bundles() { return {kBundles.begin(), kBundles.end()}; }

std::string inside_bundle(std::string_view host_bundle, std::string_view authority_pem) {
  std::string text(host_bundle);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text.append(authority_pem);
}

std::vector<std::string> trust_variables(const std::string& path) {
  std::vector<std::string> lines;
  for (const TrustVariable& variable : kTrustVariables)
    lines.push_back(std::string(variable.name) + "=" + path);
  return lines;
}

}  // namespace ward::egress
