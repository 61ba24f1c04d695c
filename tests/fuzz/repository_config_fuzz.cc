// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The three readers of a repository's configuration over one hostile text: what protects paths
// before a run, what names leftovers after it, and what lets a held change land. The last knows a
// list of harmless keys; where it has no objection, the other two must have found nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "confine/git_config.h"
#include "layers/process/git_config_scan.h"
#include "review/executed.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ward;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const confine::GitConfig config = confine::parse_git_config(text);
  const auto findings = process::scan_git_config(text);
  if (!review::executing_line(text).empty()) return 0;
  if (!config.hook_paths.empty() || !config.includes.empty() || !config.worktree.empty())
    std::abort();
  if (!findings.empty()) std::abort();
  return 0;
}
