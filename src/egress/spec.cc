// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/spec.h"

#include "egress/codec.h"

namespace ward::egress {

namespace {

// Changes with every change of what is written below, so that two builds never misread each other.
constexpr std::uint32_t kFormat = 1;

}  // namespace

// Found from codec.h by their arguments, hence not in the unnamed namespace.
template <class C>
static void fields(C& c, Coded<C, policy::Origin>& origin) {
  c(origin.file, origin.line);
  c.enumeration(origin.scope, policy::Scope::managed);
}
template <class C>
static void fields(C& c, Coded<C, policy::HostRule>& rule) {
  c(rule.host, rule.port, rule.origin);
}
template <class C>
static void fields(C& c, Coded<C, policy::RequestRule>& rule) {
  c(rule.host, rule.methods, rule.paths, rule.origin);
}
template <class C>
static void fields(C& c, Coded<C, policy::UnixSocketRule>& rule) {
  c(rule.path, rule.origin);
}
template <class C>
static void fields(C& c, Coded<C, policy::Network>& network) {
  c(network.presets, network.allow, network.deny, network.rules, network.unix_sockets,
    network.host_ports);
}
template <class C>
static void fields(C& c, Coded<C, policy::Secret>& secret) {
  c(secret.name, secret.from, secret.hosts, secret.header, secret.format, secret.origin);
}
template <class C>
static void fields(C& c, Coded<C, policy::Gate>& gate) {
  c.enumeration(gate.when, policy::Gate::When::dialog);
  c(gate.host, gate.name, gate.methods, gate.paths, gate.origin);
}
template <class C>
static void fields(C& c, Coded<C, Secret>& secret) {
  c(secret.rule, secret.value, secret.placeholder);
}
template <class C>
static void fields(C& c, Coded<C, GatewaySpec>& spec) {
  c(spec.sandbox, spec.network, spec.secrets, spec.gates);
  c.enumeration(spec.interception, Interception::wanted);
  c(spec.trust_bundle_pem, spec.name_servers);
}

bool needs_interception(const GatewaySpec& spec) {
  return !spec.network.rules.empty() || !spec.secrets.empty() || !spec.gates.empty();
}

std::string serialise(const GatewaySpec& spec) {
  Writer writer;
  writer(kFormat, spec);
  return writer.take();
}

Result<GatewaySpec> parse_spec(std::string_view bytes) {
  Reader reader(bytes);
  std::uint32_t format = 0;
  reader(format);
  if (!reader.good() || format != kFormat)
    return fail(Error(ErrorKind::bug, "the gateway and ward are not of one build")
                    .with_remedy("install both from the same package"));
  GatewaySpec spec;
  reader(spec);
  if (!reader.complete()) return fail(ErrorKind::bug, "the gateway's configuration is damaged");
  return spec;
}

}  // namespace ward::egress
