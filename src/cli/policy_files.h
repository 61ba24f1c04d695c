// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PolicyFiles: the policy's view of files, over the real file system. Stateless; safe from any
// thread.
#pragma once

#include "policy/files.h"

namespace ward::cli {

class PolicyFiles final : public policy::Files {
 public:
  Result<std::string> read(const std::string& path, std::uint64_t max_bytes) const override;
  // The file and the folder that holds it must be root's, writable by root alone, and no links.
  Result<std::string> read_managed(const std::string& path, std::uint64_t max_bytes) const override;
};

}  // namespace ward::cli
