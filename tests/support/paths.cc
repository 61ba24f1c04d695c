// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"

#include <cstdlib>

namespace ward::test {
namespace {

std::string setting(const char* name, const char* built_in) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : built_in;
}

std::string build_dir() { return setting("WARD_TEST_BUILD", WARD_BUILD_DIR); }

}  // namespace

std::string ward_binary() { return build_dir() + "/ward"; }
std::string case_program(const std::string& name) { return build_dir() + "/cases/" + name; }
std::string source_dir() { return setting("WARD_TEST_SOURCE", WARD_SOURCE_DIR); }

}  // namespace ward::test
