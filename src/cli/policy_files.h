// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PolicyFiles: the policy's view of files, over the real file system. Stateless; safe from any
// thread.
#pragma once

#include <span>
#include <string>

#include "policy/files.h"
#include "policy/policy.h"

namespace ward::cli {

class PolicyFiles final : public policy::Files {
 public:
  Result<std::string> read(const std::string& path, std::uint64_t max_bytes) const override;
  // The file and the folder that holds it must be root's, writable by root alone, and no links.
  Result<std::string> read_managed(const std::string& path, std::uint64_t max_bytes) const override;
};

// Lets no command write a document of its own policy: the next run would go by what it wrote, and
// this one after `ward policy reload`. What cannot be written anyway is left out.
void protect_documents(policy::Filesystem& filesystem, std::span<const std::string> documents);

}  // namespace ward::cli
