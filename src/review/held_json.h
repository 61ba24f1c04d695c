// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldInfo as JSON, in the file `held.json`. Paths may be any bytes: what is not UTF-8 is written
// in hexadecimal. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "review/held.h"

namespace ward::review {

std::string held_to_json(const HeldInfo& info);
Result<HeldInfo> held_from_json(const std::string& text);

}  // namespace ward::review
