// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_egress.h"

#include <unistd.h>

#include <algorithm>

#include "layers/process/presets.h"
#include "policy/path_decision.h"

namespace ward::cli {

Result<RunEgress> plan_egress(const policy::Policy& policy, const std::string& run,
                              const Surroundings& surroundings, const policy::Place& place) {
  RunEgress egress;
  if (!process::needs_way_out(policy)) return egress;
  process::WayOutSpec spec;
  spec.gateway.sandbox = run;
  spec.gateway.network = policy.network;
  spec.publish = policy.publish;
  const policy::PathDecider decider(policy.filesystem);
  WARD_ASSIGN(process::ResolvedPresets presets,
              process::resolve_presets(policy.network, {surroundings.home, place.workspaces,
                                                        ::environ, [&](const std::string& path) {
                                                          return decider.decide(path).write.allowed;
                                                        }}));
  spec.gateway.network.allow.insert(spec.gateway.network.allow.end(), presets.allow.begin(),
                                    presets.allow.end());
  WARD_ASSIGN(spec.program, egress::find_gateway_program());
  if (policy.network.allows_anything()) egress.variables = process::proxy_variables();
  egress.variables.insert(egress.variables.end(), presets.variables.begin(),
                          presets.variables.end());
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
