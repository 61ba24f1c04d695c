// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Which keys of a git configuration make git execute something, or believe another file that can.
// A scanner of hostile text that over-approximates: a line it does not understand is reported as
// such, an alias is reported whatever it stands for. Pure. Source: git-config(1).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ward::process {

// A key that executes, in lower case: section.key and section.*.key. `*` is any key of the section.
struct ExecutingKey {
  std::string_view section;
  std::string_view key;
  std::string_view reason;
};
// Sorted by section, then key.
std::span<const ExecutingKey> executing_keys();

struct ConfigFinding {
  std::string key;  // as git prints it, "filter.x.clean", or the line that was not understood
  std::string_view reason;
  int line = 0;
  auto operator<=>(const ConfigFinding&) const = default;
};

inline constexpr std::size_t kMaxConfigFindings = 100;
std::vector<ConfigFinding> scan_git_config(std::string_view text);

}  // namespace ward::process
