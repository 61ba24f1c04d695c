// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the journal's tests share: events, and short ways to say "append", "read all" and "which
// files". A failure of theirs fails the test.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "journal/chain.h"
#include "journal/sqlite_journal.h"
#include "support/temp_dir.h"

namespace ward::journal::test {

using TempFolder = ::ward::test::TempDir;

// In memory where there is a tmpfs for all: for tests that sync hundreds of times, or are killed as
// often. A killed process's writes are there as on a disk; a power cut is acted, see
// power_cut_test.h.
class MemoryFolder {
 public:
  MemoryFolder();
  ~MemoryFolder();
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Event event(const std::string& note, EventKind kind = EventKind::denied);

Result<Appended> append(Journal& journal, const std::string& note,
                        Durability durability = Durability::unsynced);
Result<Appended> append(const std::string& folder, const std::string& note);

std::vector<Record> records(Journal& journal, const Query& query = {});
std::vector<Record> records(const std::string& folder);
Verification verified(const std::string& folder, std::span<const NotedHead> noted = {});

// The names that begin so, sorted.
std::vector<std::string> files(const std::string& folder, const std::string& prefix);
// Empty where it is no file.
std::string bytes_of(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

}  // namespace ward::journal::test
