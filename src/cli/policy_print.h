// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the policy subcommands print, as text for a terminal and as JSON. File names, rules and
// settings are of untrusted origin; everything here is escaped. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "policy/explain.h"
#include "policy/import.h"
#include "policy/lint.h"
#include "policy/load.h"

namespace ward::cli {

std::string findings_text(const std::vector<policy::Finding>& findings,
                          const policy::Loaded& loaded);
std::string findings_json(const std::vector<policy::Finding>& findings,
                          const policy::Loaded& loaded);
std::string explanation_json(const policy::Explanation& explanation);
std::string import_json(const policy::Imported& imported);
std::string notes_text(const policy::Imported& imported);

}  // namespace ward::cli
