// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward policy ...`: one function for each of its subcommands. Each takes the words behind its own
// name, prints, and returns the exit status: 0; 1 where `check` finds a mistake; 2 for a malformed
// command line; 125 for a policy that cannot be used.
#pragma once

#include <string>
#include <vector>

namespace ward::cli {

// Looks at the first word and calls one of the others.
int policy_command(const std::vector<std::string>& arguments);

int policy_init(const std::vector<std::string>& arguments);
int policy_check(const std::vector<std::string>& arguments);
int policy_explain(const std::vector<std::string>& arguments);
int policy_trust(const std::vector<std::string>& arguments);
int policy_import(const std::vector<std::string>& arguments);
int policy_learn(const std::vector<std::string>& arguments);
int policy_reload(const std::vector<std::string>& arguments);
int policy_schema(const std::vector<std::string>& arguments);

}  // namespace ward::cli
