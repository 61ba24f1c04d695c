// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// From a Confinement and a Job to the SetupPlan that the post-fork code executes, written into the
// memory it shares with init. Nothing is changed on the machine.
#pragma once

#include "base/result.h"
#include "confine/launch.h"
#include "confine/setup.h"
#include "confine/setup_arena.h"

namespace ward::confine {

// The plan lies in `arena`.
Result<SetupPlan*> make_setup_plan(const Confinement& confinement, const Job& job,
                                   SetupArena& arena);

}  // namespace ward::confine
