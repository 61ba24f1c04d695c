// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/mounted_names.h"

#include "confine/path_resolver.h"

namespace ward::confine {

MountedNames::MountedNames(const PathPlan& plan) {
  for (const PathRow& row : plan.rows) {
    // What is opened for writing lies in what is read-only, and that answers.
    if (row.action == Action::writable) continue;
    names_.insert(name_of(row.path));
    rules_.emplace(row.path, row.rule);
  }
}

std::string_view MountedNames::rule_of(std::string_view path) const {
  const auto row = rules_.find(path);
  return row == rules_.end() ? std::string_view() : row->second;
}

}  // namespace ward::confine
