// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/path_plan.h"

#include <ctime>

#include "confine/path_planner.h"
#include "policy/explain.h"

namespace ward::confine {

// The order matters: canonical forms first, since everything else asks what the policy itself says
// of a path; then what the trees hold; then the verdicts, and what follows from them.
Result<PathPlan> PathPlanner::run() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);  // the clock of change times
  plan_.made_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                  static_cast<std::uint64_t>(now.tv_nsec);
  plan_.default_access = given_.default_access;
  plan_.protect = given_.protect;
  rules_ = given_;
  WARD_TRY(collect_host());
  add_workspaces_in_private();
  add_base();
  const auto count = static_cast<std::uint32_t>(rules_.rules.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (rules_.rules[i].literal)
      collect_literal(i);
    else
      WARD_TRY(collect_glob(i));
  }
  before_ = std::make_shared<const DecidedRules>(rules_);
  settle_pending();
  WARD_TRY(walk());
  make_access();
  make_nodes();
  decide_nodes();
  level_objects();
  emit_rows();
  WARD_TRY(check_hard_links());
  WARD_TRY(check_cwd());
  emit_names();
  emit_notes();
  for (const PlanNode& node : nodes_)
    if (node.has_row && node.below_private) access_->tables_->reopened.insert(node.path());
  plan_.rules = std::move(access_);
  return std::move(plan_);
}

void PathPlanner::make_access() {
  auto tables = std::make_unique<AccessRules::Tables>();
  const bool grown = rules_.rules.size() != before_->filesystem.rules.size();
  tables->decided = grown ? std::make_shared<const DecidedRules>(std::move(rules_)) : before_;
  tables->texts.reserve(tables->decided->filesystem.rules.size());
  for (const policy::PathRule& rule : tables->decided->filesystem.rules)
    tables->texts.push_back(policy::describe(rule));
  for (const Mark& mark : marks_) {
    if (mark.kind == MarkKind::own) tables->special[mark.path].own = texts_[mark.index];
    if (mark.kind == MarkKind::protect) tables->special[mark.path].protect = texts_[mark.index];
    if (mark.kind == MarkKind::private_folder) tables->special[mark.path].private_folder = true;
  }
  access_ = std::shared_ptr<AccessRules>(new AccessRules(std::move(tables)));
}

Result<PathPlan> plan_paths(const policy::Filesystem& filesystem, const HostContext& host,
                            const WalkCache* cache) {
  auto planner = std::make_shared<PathPlanner>(filesystem, host, cache);
  WARD_ASSIGN(PathPlan plan, planner->run());
  plan.planner = std::move(planner);
  return plan;
}

}  // namespace ward::confine
