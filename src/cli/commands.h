// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The subcommands of ward, one function each: the words behind the subcommand's name in, the exit
// status out. They are the only code of Ward that prints.
#pragma once

#include <string>
#include <vector>

namespace ward::cli {

int run_command(const std::vector<std::string>& arguments);
int review_command(const std::vector<std::string>& arguments);
int apply_command(const std::vector<std::string>& arguments);
int discard_command(const std::vector<std::string>& arguments);
int approve_command(const std::vector<std::string>& arguments);
int deny_command(const std::vector<std::string>& arguments);
int doctor_command(const std::vector<std::string>& arguments);
int audit_command(const std::vector<std::string>& arguments);

}  // namespace ward::cli
