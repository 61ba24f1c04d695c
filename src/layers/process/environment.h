// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The environment of a command: an allow-list. The caller's variables hold API keys and tokens that
// nobody listed anywhere; what is not named here or in the policy does not reach the command. No
// state; safe from any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace ward::process {

// "NAME=value" lines. `caller` is this process's environment (null-terminated). Temporary folders
// always point into the private ones, whatever the caller and the policy say. `usable` says whether
// a path below the home folder is there for the command to write; a tool's cache that is not is
// moved into the private /tmp, since nothing is made on the host.
std::vector<std::string> command_environment(const policy::Environment& policy,
                                             const char* const* caller,
                                             const std::function<bool(std::string_view)>& usable);

// Whether the host has a path below `home` that these rules let the command write. Both arguments
// must outlive what is returned.
std::function<bool(std::string_view)> writable_below(const std::string& home,
                                                     const policy::Filesystem& rules);

}  // namespace ward::process
