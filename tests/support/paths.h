// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Where the programs under test are. The build directory is compiled in; WARD_TEST_BUILD and
// WARD_TEST_SOURCE replace it when the tests run from a copy (scripts/run-tests makes one for the
// ordinary user, who may not be able to reach the checkout).
#pragma once

#include <string>

namespace ward::test {

std::string ward_binary();
// A program of tests/cases by its name without extension.
std::string case_program(const std::string& name);
// The root of the source tree, for corpora and documents that tests read.
std::string source_dir();

}  // namespace ward::test
