// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Presets: the hosts that `network.presets` stand for, found when a run starts. What counts is the
// tools' own configuration on this machine, then what is built into the installed tool; Ward itself
// knows no registry. Only what the sandbox cannot write is believed or run, whatever the tool would
// read there: a command could otherwise open its own network for the next run. Reads files, runs
// `go env`; changes nothing; one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "confine/network_inside.h"
#include "policy/policy.h"

namespace ward::process {

struct PresetContext {
  std::string home;
  std::vector<std::string> workspaces;  // whose repositories name git's remotes
  const char* const* caller = nullptr;  // the caller's environment, null-terminated
  // Whether a sandbox can write this (canonical) path.
  std::function<bool(const std::string&)> writable;
  std::string system = "";  // before /etc and the folders of PATH: a test's own machine
  // Whether a sandbox can read it; without this, nothing can be.
  std::function<bool(const std::string&)> readable = nullptr;
};

struct ResolvedPresets {
  // To be added to network.allow; the origin says which preset, and what named the host.
  std::vector<policy::HostRule> allow;
  // "NAME=value": what the tool inside must be told since the file that says it is hidden.
  std::vector<std::string> variables;
  std::vector<confine::InsideFile> files;  // what such a variable names
};

// Refuses a preset that names no host here, with the place where the policy asks for it.
Result<ResolvedPresets> resolve_presets(const policy::Network& network,
                                        const PresetContext& context);

}  // namespace ward::process
