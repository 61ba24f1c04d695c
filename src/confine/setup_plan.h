// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// From a Confinement and a Job to the SetupPlan that the post-fork code executes. Nothing is
// changed on the machine. The plan points into the Confinement and the Job: they must outlive it.
#pragma once

#include "base/result.h"
#include "confine/launch.h"
#include "confine/setup.h"

namespace ward::confine {

Result<SetupPlan> make_setup_plan(const Confinement& confinement, const Job& job);

}  // namespace ward::confine
