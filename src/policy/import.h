// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Import: settings of another tool into this language, key by key. What cannot be honoured is named
// with the reason, never dropped; where a rule of the two tools differs the stricter meaning is
// taken and said. Pure functions of the file's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ward::policy {

struct ImportNote {
  std::string key;  // "sandbox.excludedCommands[0]"
  std::string why;
};

struct Imported {
  std::string yaml;  // a document of version 1 that parses
  std::vector<ImportNote> notes;
};

// Where relative paths of Claude Code's settings start.
enum class ClaudeSettings : std::uint8_t { project, user };

// Claude Code's settings: the `sandbox` section, and the Read, Edit and WebFetch rules of
// `permissions`, which join it.
Result<Imported> import_claude(std::string_view name, std::string_view text, ClaudeSettings kind);

// Settings of @anthropic-ai/sandbox-runtime.
Result<Imported> import_srt(std::string_view name, std::string_view text);

}  // namespace ward::policy
