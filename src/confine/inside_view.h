// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A folder whose changes are held is another object inside than on the host: the overlay has device
// and inode numbers of its own. Names that are protected by their folder's object are given the
// numbers that the sandbox sees, by a look through its root. For the supervisor, before the command
// runs.
#pragma once

#include "base/result.h"
#include "confine/path_plan.h"

namespace ward::confine {

// Replaces the objects of `plan.absent` and `plan.frozen` by those that their paths lead to below
// `root` (SandboxHandles::root). The rows keep the host's.
Status see_from_inside(PathPlan& plan, int root);

}  // namespace ward::confine
