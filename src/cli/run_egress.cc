// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_egress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "egress/trust_bundle.h"
#include "layers/process/presets.h"
#include "layers/process/secret_sources.h"
#include "layers/process/trust_inside.h"
#include "policy/path_decision.h"

namespace ward::cli {

namespace {

// What the gateway reads inside TLS, and by whose certificates it verifies servers then.
Status intercept(const policy::Policy& policy, RunEgress& egress, egress::GatewaySpec& gateway) {
  gateway.secrets = egress.secrets;
  for (const policy::Gate& gate : policy.gates)
    if (gate.when == policy::Gate::When::request) gateway.gates.push_back(gate);
  if (!egress::needs_interception(gateway)) return {};
  gateway.interception = egress::Interception::wanted;
  const char* const chosen = std::getenv("SSL_CERT_FILE");
  WARD_ASSIGN(gateway.trust_bundle_pem, egress::host_trust_bundle(chosen != nullptr ? chosen : ""));
  egress.variables = egress::trust_variables(process::kBundleInside);
  return {};
}

}  // namespace

Result<process::ResolvedPresets> resolve_presets(const policy::Policy& policy,
                                                 const Surroundings& surroundings,
                                                 const policy::Place& place) {
  const policy::PathDecider decider(policy.filesystem);
  process::PresetContext context{surroundings.home, place.workspaces, ::environ, nullptr};
  context.writable = [&](const std::string& path) { return decider.decide(path).write.allowed; };
  context.readable = [&](const std::string& path) { return decider.decide(path).read.allowed; };
  return process::resolve_presets(policy.network, context);
}

Result<RunEgress> plan_egress(const policy::Policy& policy, const std::string& run,
                              const Surroundings& surroundings, const policy::Place& place,
                              const std::vector<egress::Secret>* held) {
  RunEgress egress;
  if (held != nullptr) {
    egress.secrets = *held;
  } else {
    WARD_ASSIGN(egress.secrets, process::resolve_secrets(policy, {surroundings.home, ::environ}));
  }
  if (!process::needs_way_out(policy)) return egress;
  process::WayOutSpec spec;
  spec.gateway.sandbox = run;
  spec.gateway.network = policy.network;
  spec.publish = policy.publish;
  WARD_ASSIGN(process::ResolvedPresets presets, resolve_presets(policy, surroundings, place));
  spec.gateway.network.allow.insert(spec.gateway.network.allow.end(), presets.allow.begin(),
                                    presets.allow.end());
  WARD_TRY(intercept(policy, egress, spec.gateway));
  WARD_ASSIGN(spec.program, egress::find_gateway_program());
  spec.files = std::move(presets.files);
  std::vector<std::string> more = std::move(presets.variables);
  if (policy.network.allows_anything())
    for (std::string& line : process::proxy_variables()) more.push_back(std::move(line));
  egress.variables.insert(egress.variables.end(), more.begin(), more.end());
  egress.way_out = std::move(spec);
  return egress;
}

void add_variables(std::vector<std::string>& environment,
                   const std::vector<std::string>& variables) {
  for (const std::string& line : variables) {
    const std::string name = line.substr(0, line.find('=') + 1);
    std::erase_if(environment, [&](const std::string& other) { return other.starts_with(name); });
    environment.push_back(line);
  }
}

}  // namespace ward::cli
