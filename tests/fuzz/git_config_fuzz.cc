// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A git configuration written by a sandboxed program: the scan ends and stays within its bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "layers/process/git_config_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ward::process;
  auto findings = scan_git_config({reinterpret_cast<const char*>(data), size});
  if (findings.size() > kMaxConfigFindings) std::abort();
  return 0;
}
