// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/policy.h"

namespace ward::policy {

std::string Origin::describe() const {
  return line == 0 ? file : file + ":" + std::to_string(line);
}

bool Network::allows_anything() const {
  return !presets.empty() || !allow.empty() || !host_ports.empty();
}

}  // namespace ward::policy
