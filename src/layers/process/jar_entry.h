// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// One file out of a Java archive: Maven keeps the repositories that are built into it in one. Reads
// bytes in memory, bounded; a damaged archive is an error. Pure. Source: .ZIP File Format
// Specification 6.3 (4.3).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ward::process {

// The content of the entry `name`; not_found where there is none, exhausted over `max_bytes`.
Result<std::string> jar_entry(std::string_view archive, std::string_view name,
                              std::size_t max_bytes);

}  // namespace ward::process
