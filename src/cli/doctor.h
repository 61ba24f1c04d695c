// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward doctor [--json]`: prints what this machine can enforce, layer by layer, and runs the
// self-test. Exit status 0 where `ward run` works here, 1 where it does not, 2 for a malformed
// command line. The texts are pure functions of the examination.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "confine/doctor.h"

namespace ward::cli {

enum class Colour : unsigned char { none, terminal };

std::string doctor_text(const confine::Examination& examination, Colour colour);
// One JSON object; docs/doctor.md describes it.
std::string doctor_json(const confine::Examination& examination);

// `args` are those after "doctor". `self_test` runs a command confined and proves it.
int doctor(const std::vector<std::string>& args, const std::function<Status()>& self_test);

}  // namespace ward::cli
