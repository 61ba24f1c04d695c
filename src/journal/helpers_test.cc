// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/helpers_test.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ward::journal::test {

MemoryFolder::MemoryFolder() {
  const bool shared_memory = ::access("/dev/shm", W_OK) == 0;
  path_ = (shared_memory ? "/dev/shm/" : ::testing::TempDir()) + "ward-journal-XXXXXX";
  EXPECT_NE(::mkdtemp(path_.data()), nullptr);
}

MemoryFolder::~MemoryFolder() { std::filesystem::remove_all(path_); }

Event event(const std::string& note, EventKind kind) {
  Event event = {.kind = kind, .run = "run"};
  event.payload.set("note", note);
  return event;
}

Result<Appended> append(Journal& journal, const std::string& note, Durability durability) {
  const Event one = event(note);
  return journal.append(std::span(&one, 1), durability);
}

Result<Appended> append(const std::string& folder, const std::string& note) {
  return append(*sqlite_journal({.folder = folder}), note, Durability::unsynced);
}

std::vector<Record> records(Journal& journal, const Query& query) {
  std::vector<Record> all;
  const Status scanned = journal.scan(query, [&](const Record& record) {
    all.push_back(record);
    return true;
  });
  EXPECT_TRUE(scanned) << scanned.error().describe();
  return all;
}

std::vector<Record> records(const std::string& folder) {
  return records(*sqlite_journal({.folder = folder}), {});
}

Verification verified(const std::string& folder, std::span<const NotedHead> noted) {
  auto verification = verify(*sqlite_journal({.folder = folder}), noted);
  EXPECT_TRUE(verification) << verification.error().describe();
  return verification.value_or(Verification{});
}

std::vector<std::string> files(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(prefix))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string bytes_of(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace ward::journal::test
