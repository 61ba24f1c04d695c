// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// From a policy to what its run needs to reach the network: the gateway's orders, and the variables
// that tell programs of it. Presets and secrets are resolved here. Reads files; changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/surroundings.h"
#include "layers/process/presets.h"
#include "layers/process/way_out.h"
#include "policy/load.h"

namespace ward::cli {

struct RunEgress {
  std::optional<process::WayOutSpec> way_out;  // nothing where the policy lets nothing out or in
  std::vector<std::string> variables;          // "NAME=value"
  std::vector<egress::Secret> secrets;         // whose values must not be seen inside
};

// `held` are the secrets of a run that goes on: their placeholders are inside already. Null: they
// are taken from their sources.
Result<RunEgress> plan_egress(const policy::Policy& policy, const std::string& run,
                              const Surroundings& surroundings, const policy::Place& place,
                              const std::vector<egress::Secret>* held = nullptr);

// The hosts that the policy's presets stand for here.
Result<process::ResolvedPresets> resolve_presets(const policy::Policy& policy,
                                                 const Surroundings& surroundings,
                                                 const policy::Place& place);

// Put into `environment` over what was there.
void add_variables(std::vector<std::string>& environment,
                   const std::vector<std::string>& variables);

}  // namespace ward::cli
