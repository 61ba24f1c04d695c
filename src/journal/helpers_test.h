// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the journal's tests share: events, and short ways to say "append" and "read all".
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "journal/chain.h"
#include "journal/sqlite_journal.h"
#include "support/temp_dir.h"

namespace ward::journal::test {

using TempFolder = ::ward::test::TempDir;

// In memory where there is a tmpfs for all: hundreds of syncs cost nothing there, and what a
// process did before it was killed is there all the same.
class MemoryFolder {
 public:
  MemoryFolder() {
    const bool shared_memory = ::access("/dev/shm", W_OK) == 0;
    std::string pattern = (shared_memory ? "/dev/shm/" : ::testing::TempDir()) + std::string(kName);
    path_ = ::mkdtemp(pattern.data());
  }
  ~MemoryFolder() { std::filesystem::remove_all(path_); }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  static constexpr const char* kName = "ward-journal-XXXXXX";
  std::string path_;
};

inline Event event(const std::string& note, EventKind kind = EventKind::denied) {
  Event event = {.kind = kind, .run = "run"};
  event.payload.set("note", note);
  return event;
}

inline Result<Appended> append(Journal& journal, const std::string& note,
                               Durability durability = Durability::unsynced) {
  const Event one = event(note);
  return journal.append(std::span(&one, 1), durability);
}

inline Result<Appended> append(const std::string& folder, const std::string& note) {
  return append(*sqlite_journal({.folder = folder}), note);
}

inline std::vector<Record> records(Journal& journal, const Query& query = {}) {
  std::vector<Record> all;
  const Status scanned = journal.scan(query, [&](const Record& record) {
    all.push_back(record);
    return true;
  });
  EXPECT_TRUE(scanned) << scanned.error().describe();
  return all;
}

inline std::vector<Record> records(const std::string& folder) {
  return records(*sqlite_journal({.folder = folder}));
}

inline Verification verified(const std::string& folder, std::span<const NotedHead> noted = {}) {
  auto verification = verify(*sqlite_journal({.folder = folder}), noted);
  EXPECT_TRUE(verification) << verification.error().describe();
  return verification.value_or(Verification{});
}

inline std::vector<std::string> files(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(prefix))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Empty where it is no file.
inline std::string bytes_of(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace ward::journal::test
