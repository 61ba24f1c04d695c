// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Explain: which rule decides about a path or a host, and why not the others. The text is for a
// person; the structured form is what `--json` prints. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace ward::policy {

struct Explanation {
  struct Line {
    std::string act;  // "read", "write", "connect"
    bool allowed = false;
    std::string rule;  // "denyRead ~/.ssh (profile workspace)", or "the default: read"
    std::string why;
    std::vector<std::string> shadowed;  // the rules that also match, and why each lost
    std::string remedy;                 // what would allow it; "" where nothing is to be said
  };
  std::string subject;
  std::vector<Line> lines;
  std::string text() const;
};

// Preconditions: `path` is absolute and lexically normal.
Explanation explain_path(const Policy& policy, std::string_view path);
Result<Explanation> explain_host(const Network& network, std::string_view host_port);
inline Result<Explanation> explain_host(const Policy& policy, std::string_view host_port) {
  return explain_host(policy.network, host_port);
}

// "denyRead ~/.ssh (profile workspace)": how a rule is named in every message.
std::string describe(const PathRule& rule);
std::string_view list_name(PathList list);

}  // namespace ward::policy
