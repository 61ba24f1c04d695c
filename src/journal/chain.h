// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The hash chain of a journal: how a record is hashed, and what a walk along the chain finds. A
// record's hash is SHA-256 over an encoding in which every field has a fixed place or its length in
// front, so that no two records share one. Nothing here knows where records are kept. What the
// chain proves and what it does not: docs/journal.md. Values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"

namespace ward::journal {

// Of all fields but `hash` itself.
Hash hash_of(const Record& record);
// The name of a chain: the start of its first record's hash.
std::string chain_id(const Hash& first_hash);

std::string to_hex(const Hash& hash);
Result<Hash> parse_hash(std::string_view hex);
// "SEQ HASH"; parse_head takes a colon between the two as well.
std::string to_string(const Head& head);
Result<Head> parse_head(std::string_view text);

struct Finding {
  enum class Kind {
    gap,      // records are missing in front of `seq`
    altered,  // the record `seq` is not what was hashed
    broken,   // the record `seq` does not follow from the one before: removed, reordered, rewritten
    no_start,  // the chain does not begin with the record that begins one
    cut_tail,  // a noted head lies beyond the end
    replaced,  // a noted head's record is not there, or is another one
    other,     // a head was noted for a chain that this journal is not and does not name
  };
  Kind kind = Kind::gap;
  std::int64_t seq = 0;
  std::string text = {};  // one sentence for a person
};

std::string_view to_string(Finding::Kind kind);

struct Verification {
  std::int64_t records = 0;
  std::optional<Head> head;
  std::string chain;          // empty for an empty journal
  std::size_t heads_met = 0;  // noted heads that were found in the chain
  // Noted heads of the chain that this one says it replaced: to be looked for in that file.
  std::size_t heads_of_replaced = 0;
  std::vector<Finding> findings;  // at most kMaxFindings
  bool sound() const { return findings.empty(); }
};
inline constexpr std::size_t kMaxFindings = 100;

// A head somebody noted. `chain` is empty where it was not noted with it.
struct NotedHead {
  Head head;
  std::string chain = {};
  std::string where = {};  // for the reader: "--head", "/var/log/syslog line 17"
};

// Walks the whole journal. An error: it could not be read to the end.
Result<Verification> verify(Journal& journal, std::span<const NotedHead> noted);

}  // namespace ward::journal
