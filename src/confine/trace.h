// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Trace mode: for every call on a path, what the policy says of it. It decides nothing: mounts and
// Landlock refuse, the trace names the rule. A call on a path that does not exist is reported only
// where the folder is closed to it. What is asked and not done (access, stat, readlink) is not
// reported, nor what the kernel opens by itself (the interpreter of a script). Pure but for the
// resolving of paths.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "confine/caller_view.h"
#include "confine/denial.h"
#include "confine/path_call.h"
#include "confine/path_plan.h"

namespace ward::confine {

using OnTrace = std::function<void(Denial::Act, const std::string& target, std::string_view rule)>;

void trace_call(const PathCall& call, CallerView& view, const AccessRules* rules,
                const OnTrace& report);
// Where `path` leads, and the rule, if the policy lets nobody read there.
struct Hidden {
  std::string target;
  std::string rule;
};
std::optional<Hidden> hidden_at(const std::string& path, CallerView& view,
                                const AccessRules* rules);
// trace_call() for a call that makes `path`, a name that stands in no register.
void trace_creation(const std::string& path, CallerView& view, const AccessRules* rules,
                    const OnTrace& report);

}  // namespace ward::confine
