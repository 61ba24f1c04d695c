// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A pattern and a path from hostile bytes, separated by a NUL: compiling never crashes, and the
// stepper agrees with the pattern at every step of the path.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "policy/glob.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ward::policy;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t separator = bytes.find('\0');
  auto glob = Glob::compile(bytes.substr(0, separator));
  if (!glob || separator == std::string_view::npos) return 0;
  auto set = GlobSet::compile({*glob});
  if (!set) return 0;
  GlobStepper stepper(*set);
  auto state = stepper.root();
  std::string path;
  std::vector<std::uint32_t> hits;
  std::string_view rest = bytes.substr(separator + 1);
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(name.size() < rest.size() ? name.size() + 1 : rest.size());
    if (name.empty()) continue;
    path += '/';
    path += name;
    if (stepper.match(state, name, hits) != glob->matches(path)) std::abort();
    auto next = stepper.enter(state, name);
    if (!next) return 0;
    state = *next;
  }
  return 0;
}
