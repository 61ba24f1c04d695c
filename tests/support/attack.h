// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// AttackSandbox: a Sandbox whose workspace holds the program of tests/cases/attack.c as `attack`,
// for scripts that need an act which no ordinary program performs. Owned by one test.
#pragma once

#include <filesystem>

#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {

class AttackSandbox : public Sandbox {
 public:
  AttackSandbox() {
    std::filesystem::copy_file(case_program("attack"), workspace() + "/attack");
    process.deadline = std::chrono::seconds(40);
  }
};

}  // namespace ward::test
