// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward audit show|egress|verify|head`: reads the user's journal. Whatever is in it may have been
// named by a sandboxed program, so all of it is printed escaped. Exit status 0 where the answer is
// good, 1 where the journal is unsound, unreadable or has not what was asked for, 2 for a malformed
// command line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/chain.h"
#include "journal/process_mark.h"

namespace ward::cli {

enum class Format : unsigned char { text, json };

struct AuditShow {
  Format format = Format::text;
  std::string run;                   // only this one's records, or empty
  std::optional<std::int64_t> last;  // only so many
  bool denied_only = false;
};
struct AuditEgress {
  Format format = Format::text;
  std::string run;
  std::optional<std::int64_t> last;
  bool denied_only = false;  // what was not let through
};
struct AuditVerify {
  Format format = Format::text;
  std::vector<journal::Head> heads;
  std::vector<std::string> logs;  // files of the system log
};
struct AuditHead {
  Format format = Format::text;
};

// How a run stands that a record began.
enum class RunState : unsigned char {
  ended,
  running,
  killed,   // its supervisor is gone and wrote no end
  unknown,  // no end, and from here it cannot be told whether its supervisor lives
};
RunState run_state(const journal::Record& start, bool has_end);

// One line, or one JSON object, of a record; `state` for those that began a run.
std::string record_text(const journal::Record& record, std::optional<RunState> state);
std::string record_json(const journal::Record& record, std::optional<RunState> state);
// Of an `egress` record: who, where, how much, by which rule.
std::string egress_text(const journal::Record& record);
bool egress_was_denied(const journal::Record& record);
std::string verification_text(const journal::Verification& verification);
std::string verification_json(const journal::Verification& verification);

// `folder` is the state folder.
Status audit_show(const AuditShow& what, const std::string& folder, std::FILE* out);
Status audit_egress(const AuditEgress& what, const std::string& folder, std::FILE* out);
// The value: whether the journal is sound.
Result<bool> audit_verify(const AuditVerify& what, const std::string& folder, std::FILE* out);
Status audit_head(const AuditHead& what, const std::string& folder, std::FILE* out);

}  // namespace ward::cli
