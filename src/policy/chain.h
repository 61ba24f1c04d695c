// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Chain: one policy file with the files that it extends, read and parsed. It ends at a built-in
// profile or at a file that extends nothing. Used by load.cc only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/document.h"
#include "policy/files.h"
#include "policy/profiles.h"
#include "policy/trust.h"

namespace ward::policy {

struct Chain {
  std::vector<Document> documents;  // the file itself first
  std::vector<NamedBytes> files;
  std::optional<Profile> profile;
  Origin profile_origin;  // the `extends` that names it
};

// The text of a document that has a part in `scope`; of the managed scope, what root alone wrote.
Result<std::string> read_document(const Files& files, const std::string& path, Scope scope);

// `text` is the file's content. Refuses a cycle and more than kMaxExtends files.
Result<Chain> read_chain(const Origin& origin, std::string text, const std::string& home,
                         const Files& files);

}  // namespace ward::policy
