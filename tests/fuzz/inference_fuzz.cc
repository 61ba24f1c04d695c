// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The last that a failed command printed, chosen by it: what is inferred stays within its bounds,
// is never called exact, and speaks of absolute paths that the policy really denies.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "confine/path_plan.h"
#include "layers/process/inference.h"

namespace {

using namespace ward;
using confine::Denial;

void require(bool holds) {
  if (!holds) std::abort();
}

// Nothing can be written, and /etc cannot be read.
const confine::PathPlan& plan() {
  static const confine::PathPlan made = [] {
    policy::PathRule rule;
    rule.pattern = rule.written = "/etc";
    rule.origin = {"w.yaml", 1, policy::Scope::user};
    policy::Filesystem filesystem;
    filesystem.rules.push_back(rule);
    confine::HostContext host;
    host.home = host.cwd = "/usr";
    host.workspaces = {"/usr/share"};
    auto planned = confine::plan_paths(filesystem, host);
    require(planned.has_value());
    return std::move(*planned);
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const confine::AccessRules& rules = *plan().rules;
  const auto inferred = process::infer_denials({reinterpret_cast<const char*>(data), size},
                                               {"/usr/share", "/usr", &rules});
  require(inferred.size() <= process::kMaxInferred);
  std::set<std::pair<Denial::Act, std::string>> seen;
  for (const Denial& denial : inferred) {
    require(!denial.exact && !denial.rule.empty());
    require(seen.emplace(denial.act, denial.target).second);
    if (denial.act == Denial::Act::name) continue;
    require(denial.target.starts_with('/'));
    const confine::Access access = rules.decide(denial.target);
    require(denial.act == Denial::Act::read ? !access.read : !access.write);
  }
  return 0;
}
