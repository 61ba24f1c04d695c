// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "cli/audit.h"
#include "cli/commands.h"

namespace ward::cli {

int audit_command(const std::vector<std::string>& arguments) {
  std::vector<std::string_view> words(arguments.begin(), arguments.end());
  return audit(words);
}

}  // namespace ward::cli
