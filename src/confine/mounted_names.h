// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// MountedNames knows which names a mount of the sandbox holds in their place: the kernel answers
// EBUSY to a rename of one, and to its removal, and does not say why. Built when the first such
// call comes; owned by the notifier, one thread. The plan must live as long.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "confine/path_plan.h"

namespace ward::confine {

class MountedNames {
 public:
  explicit MountedNames(const PathPlan& plan);
  // False for a name that no mount stands on in any folder.
  bool concerns(std::string_view name) const { return names_.contains(name); }
  // The rule of the mount that stands on this canonical path; "" where none does.
  std::string_view rule_of(std::string_view path) const;

 private:
  std::unordered_set<std::string_view> names_;
  std::unordered_map<std::string_view, std::string_view> rules_;
};

}  // namespace ward::confine
