// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The environment of a command: an allow-list. The caller's variables hold API keys and tokens that
// nobody listed anywhere; what is not named here or in the policy does not reach the command. Pure
// functions; safe from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace ward::process {

// "NAME=value" lines. `caller` is this process's environment (null-terminated). Temporary folders
// always point into the private ones, whatever the caller and the policy say. `exists` says whether
// a path of the host is there: a tool that fails without its cache folder is pointed to one in the
// private /tmp where it is not, since none is made on the host.
std::vector<std::string> command_environment(const policy::Environment& policy,
                                             const char* const* caller,
                                             const std::function<bool(const std::string&)>& exists);

}  // namespace ward::process
