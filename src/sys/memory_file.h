// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Memory files: bytes without a name in any file system, handed to another process by descriptor.
// Sealed ones cannot be changed by whoever holds them, so that what was checked stays what it was.
// Safe from any thread. Source: memfd_create(2), F_ADD_SEALS in fcntl(2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

// Close-on-exec; sealed against every change. `name` is for a reader of /proc only.
Result<UniqueFd> sealed_memory(const char* name, std::string_view bytes);
// Refuses (invalid) what is not a memory file sealed against every change, and what is larger
// (exhausted).
Result<std::string> read_sealed_memory(int fd, std::uint64_t max_bytes);

}  // namespace ward::sys
