// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/learn_place.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "confine/watch.h"
#include "sys/directory.h"
#include "sys/file_lock.h"

namespace ward::cli {

namespace {

constexpr std::string_view kPrefix = "ward-learn-";
constexpr int kAttempts = 100;

Result<std::vector<std::string>> places_in(int base) {
  std::vector<std::string> names;
  std::array<char, 32768> buffer;
  for (;;) {
    WARD_ASSIGN(std::span<const char> records, sys::read_directory(base, buffer));
    if (records.empty()) return names;
    sys::DirectoryBatch batch(records);
    for (sys::DirectoryEntry entry; batch.next(entry);)
      if (entry.name.starts_with(kPrefix)) names.emplace_back(entry.name);
  }
}

// The place as a descriptor with the lock, or nothing where another user or a running command has
// it. In /var/tmp anyone can make such a name, a link too; only its owner can rename it.
UniqueFd take(int base, const std::string& name) {
  Result<UniqueFd> place = sys::open_at(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!place) return {};
  const Result<struct stat> status = sys::stat_fd(place->get());
  if (!status || status->st_uid != ::geteuid()) return {};
  if (!sys::try_lock(place->get(), sys::LockMode::exclusive)) return {};
  return std::move(*place);
}

Result<UniqueFd> open_base(const std::string& base) {
  return sys::open_path(base, O_RDONLY | O_DIRECTORY);
}

}  // namespace

LearnPlace::LearnPlace(std::string base, std::string name, UniqueFd lock)
    : base_(std::move(base)), name_(std::move(name)), lock_(std::move(lock)) {}

Result<LearnPlace> LearnPlace::make(const std::string& base) {
  WARD_ASSIGN(UniqueFd folder, open_base(base));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = base + "/" + std::string(kPrefix) + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return fail_errno(errno, "make " + path);
    std::string name = path.substr(base.size() + 1);
    // A sweep between the two calls has it, and removes it.
    UniqueFd lock = take(folder.get(), name);
    struct stat status = {};
    if (lock.valid() && sys::stat_entry(folder.get(), name.c_str(), status) == 0)
      return LearnPlace(base, std::move(name), std::move(lock));
  }
  return fail(ErrorKind::busy, "another command removes every folder that is made in " + base);
}

LearnPlace::~LearnPlace() {
  if (!lock_.valid()) return;
  if (Result<UniqueFd> folder = open_base(base_))
    (void)confine::remove_tree(folder->get(), name_).has_value();
}

Status sweep_learn_places(const std::string& base) {
  Result<UniqueFd> folder = open_base(base);
  if (!folder) return {};  // then none was ever made there
  WARD_ASSIGN(std::vector<std::string> names, places_in(folder->get()));
  for (const std::string& name : names) {
    const UniqueFd lock = take(folder->get(), name);
    if (lock.valid()) WARD_TRY(in_context(confine::remove_tree(folder->get(), name), base));
  }
  return {};
}

}  // namespace ward::cli
