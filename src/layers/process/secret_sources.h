// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Where the values of a policy's secrets come from when a run starts, and how they are kept out of
// the sandbox: its environment, its arguments, the files it can read. A source that has no value is
// refused before anything runs. Reads the caller's environment and files; changes nothing on the
// machine; one thread. The values it returns go to the gateway and nowhere else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "egress/secrets.h"
#include "policy/policy.h"

namespace ward::process {

struct SecretContext {
  std::string home;
  const char* const* caller = nullptr;  // the caller's environment, null-terminated
};

// Each with its value and a fresh placeholder. An error names the line and never the value.
Result<std::vector<egress::Secret>> resolve_secrets(const policy::Policy& policy,
                                                    const SecretContext& context);

// Denies reading the files that the secrets come from, in a scope that nothing re-opens.
void hide_secret_files(policy::Filesystem& filesystem, std::span<const policy::Secret> secrets,
                       const std::string& home);

// Sets each secret's variable to its placeholder, and puts the placeholder in the place of the
// value wherever another variable holds it.
void mask_environment(std::vector<std::string>& environment,
                      std::span<const egress::Secret> secrets);

// Refuses arguments that hold a value: every process inside can read them.
Status check_arguments(std::span<const std::string> argv, std::span<const egress::Secret> secrets);

}  // namespace ward::process
