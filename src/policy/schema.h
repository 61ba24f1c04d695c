// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The language as a JSON Schema (draft 2020-12), for editors, and as a file to start from. Both are
// made from the table of keys, so that they say what the parser does. Pure functions.
#pragma once

#include <string>

#include "policy/profiles.h"

namespace ward::policy {

std::string json_schema();

// What `ward policy init` writes: a document that extends `profile`, with every key as a remark.
std::string starting_document(Profile profile);

}  // namespace ward::policy
