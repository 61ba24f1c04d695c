// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Writing single YAML and JSON values, quoted where they need it. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace ward::policy {

// The text as a YAML scalar that every reader takes for text, in block and in flow style.
std::string yaml_scalar(std::string_view text);
// The text as a JSON string, in quotes; bytes that are no UTF-8 are not its caller's.
std::string json_string(std::string_view text);

}  // namespace ward::policy
