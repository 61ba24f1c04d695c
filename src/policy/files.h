// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Files is how the policy reads its documents without calling the kernel: the command line passes
// an implementation over sys, tests pass a map. The caller owns it; it is called from one thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace ward::policy {

class Files {
 public:
  virtual ~Files() = default;
  // The whole of a regular file. An absent one is `not_found`, one over `max_bytes` is `exhausted`;
  // anything that is not a regular file is refused without waiting for it.
  virtual Result<std::string> read(const std::string& path, std::uint64_t max_bytes) const = 0;
  // The same for a document of the managed scope; what anyone but root can replace or write is
  // refused (denied), because it would bind its own author.
  virtual Result<std::string> read_managed(const std::string& path,
                                           std::uint64_t max_bytes) const = 0;
};

}  // namespace ward::policy
