// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Lint: what in a policy is too wide, or says less than its author thinks. `ward policy check`
// prints the findings; `ward run` refuses the same ones that `check` refuses, so both use refuse().
// Pure functions of the policy and of the place it is for; safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/load.h"
#include "policy/policy.h"

namespace ward::policy {

enum class Severity : std::uint8_t {
  note,     // worth knowing; changes nothing
  mistake,  // does not do what it says: `check` exits non-zero, `run` goes on
  refused,  // too wide: `check` exits non-zero and `run` refuses, unless an override names it
};
std::string_view to_string(Severity severity);

struct Finding {
  std::string id;  // "writable-home"
  Severity severity = Severity::note;
  Origin origin;
  std::string message;
  std::string remedy;
  const Override* accepted_by = nullptr;  // the override of `policy` that accepts it
};

// One row for each finding there is: what overrides may name, and what the reference lists.
struct FindingKind {
  std::string_view id;
  Severity severity;
  std::string_view meaning;
};
std::span<const FindingKind> finding_kinds();

std::vector<Finding> lint(const Policy& policy, const Place& place);

// The first refused finding without an override, as an error with its place and remedy.
Status refuse(const std::vector<Finding>& findings);

// What the process layer cannot enforce (yet): network access, secrets, disk limits, ... Each is an
// error that names the key; nothing is ignored.
Status process_layer_accepts(const Policy& policy);

}  // namespace ward::policy
