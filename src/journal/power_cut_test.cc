// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/power_cut_test.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>

#include "journal/helpers_test.h"

namespace ward::journal::test {
namespace {

constexpr std::size_t kSector = 512;

// An open file: SQLite's head, then ours; the real file stands behind it in the same memory.
struct ShimFile {
  sqlite3_file head;
  PowerCutDisk::File* memory;  // null for files that are not kept over a power cut
  sqlite3_file* real;
};

ShimFile& shim(sqlite3_file* file) { return *reinterpret_cast<ShimFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return shim(file).real; }
const sqlite3_io_methods& methods(sqlite3_file* file) { return *real(file)->pMethods; }

std::string content(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  methods(file).xFileSize(real(file), &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (size > 0) methods(file).xRead(real(file), bytes.data(), static_cast<int>(size), 0);
  return bytes;
}

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const int code = methods(file).xWrite(real(file), bytes, size, offset);
  if (code == SQLITE_OK && shim(file).memory != nullptr)
    shim(file).memory->unsynced.push_back(
        {offset, std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)),
         false});
  return code;
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int code = methods(file).xTruncate(real(file), size);
  if (code == SQLITE_OK && shim(file).memory != nullptr)
    shim(file).memory->unsynced.push_back({size, {}, true});
  return code;
}

int sync(sqlite3_file* file, int flags) {
  const int code = methods(file).xSync(real(file), flags);
  if (code == SQLITE_OK && shim(file).memory != nullptr) {
    shim(file).memory->synced = content(file);
    shim(file).memory->unsynced.clear();
  }
  return code;
}

// The methods that change nothing on a disk go straight to the real file.
const sqlite3_io_methods kMethods = {
    .iVersion = 3,
    .xClose = [](sqlite3_file* file) { return methods(file).xClose(real(file)); },
    .xRead = [](sqlite3_file* file, void* bytes, int size,
                sqlite3_int64 at) { return methods(file).xRead(real(file), bytes, size, at); },
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = [](sqlite3_file* file,
                    sqlite3_int64* size) { return methods(file).xFileSize(real(file), size); },
    .xLock = [](sqlite3_file* file, int lock) { return methods(file).xLock(real(file), lock); },
    .xUnlock = [](sqlite3_file* file, int lock) { return methods(file).xUnlock(real(file), lock); },
    .xCheckReservedLock =
        [](sqlite3_file* file, int* out) {
          return methods(file).xCheckReservedLock(real(file), out);
        },
    .xFileControl =
        [](sqlite3_file* file, int operation, void* out) {
          return methods(file).xFileControl(real(file), operation, out);
        },
    .xSectorSize = [](sqlite3_file* file) { return methods(file).xSectorSize(real(file)); },
    // No promise of the real disk holds on this one.
    .xDeviceCharacteristics = [](sqlite3_file*) { return 0; },
    .xShmMap =
        [](sqlite3_file* file, int page, int size, int extend, void volatile** out) {
          return methods(file).xShmMap(real(file), page, size, extend, out);
        },
    .xShmLock = [](sqlite3_file* file, int offset, int count,
                   int flags) { return methods(file).xShmLock(real(file), offset, count, flags); },
    .xShmBarrier = [](sqlite3_file* file) { methods(file).xShmBarrier(real(file)); },
    .xShmUnmap = [](sqlite3_file* file,
                    int remove) { return methods(file).xShmUnmap(real(file), remove); },
    .xFetch =
        [](sqlite3_file*, sqlite3_int64, int, void** page) {
          *page = nullptr;  // not mapped: every access comes by read and write
          return SQLITE_OK;
        },
    .xUnfetch = [](sqlite3_file*, sqlite3_int64, void*) { return SQLITE_OK; },
};

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* disk = static_cast<PowerCutDisk*>(vfs->pAppData);
  auto* opened = new (file) ShimFile{};
  opened->real = reinterpret_cast<sqlite3_file*>(opened + 1);
  const int code = disk->real()->xOpen(disk->real(), name, opened->real, flags, out_flags);
  if (code != SQLITE_OK) return code;
  opened->head.pMethods = &kMethods;
  if (name != nullptr && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0) {
    auto [entry, is_new] = disk->files().try_emplace(name);
    opened->memory = &entry->second;
    // What is there before the test begins is on the disk.
    if (is_new) opened->memory->synced = content(file);
  }
  return SQLITE_OK;
}

void apply(std::string& bytes, const PowerCutDisk::Change& change, std::mt19937& random) {
  std::bernoulli_distribution reached_the_disk(0.5);
  for (std::size_t at = 0; at < change.bytes.size();) {
    const auto offset = static_cast<std::size_t>(change.offset) + at;
    const std::size_t size = std::min(kSector - offset % kSector, change.bytes.size() - at);
    if (reached_the_disk(random)) {
      if (bytes.size() < offset + size) bytes.resize(offset + size, '\0');
      std::memcpy(bytes.data() + offset, change.bytes.data() + at, size);
    }
    at += size;
  }
}

}  // namespace

PowerCutDisk::PowerCutDisk() : real_(sqlite3_vfs_find(nullptr)), shim_(new sqlite3_vfs(*real_)) {
  shim_->zName = "power-cut";
  shim_->szOsFile = static_cast<int>(sizeof(ShimFile)) + real_->szOsFile;
  shim_->pAppData = this;
  shim_->pNext = nullptr;
  shim_->xOpen = open;
  sqlite3_vfs_register(shim_, 1);
}

PowerCutDisk::~PowerCutDisk() {
  sqlite3_vfs_unregister(shim_);
  sqlite3_vfs_register(real_, 1);
  delete shim_;
}

void PowerCutDisk::after_power_cut(const std::string& folder, std::mt19937& random) const {
  for (const auto& [path, file] : files_) {
    std::string bytes = file.synced;
    std::vector<std::size_t> truncations;
    for (std::size_t index = 0; index < file.unsynced.size(); ++index)
      if (file.unsynced[index].truncates) truncations.push_back(index);
    // So many truncations took effect; nothing behind the next one can have.
    const std::size_t effective =
        std::uniform_int_distribution<std::size_t>(0, truncations.size())(random);
    const std::size_t end =
        effective < truncations.size() ? truncations[effective] : file.unsynced.size();
    for (std::size_t index = 0; index < end; ++index) {
      const Change& change = file.unsynced[index];
      if (change.truncates)
        bytes.resize(static_cast<std::size_t>(change.offset), '\0');
      else
        apply(bytes, change, random);
    }
    write_bytes(folder + "/" + std::filesystem::path(path).filename().string(), bytes);
  }
}

namespace {

enum class Others { none, reading };

// While somebody reads, the log is copied and not emptied: the next record begins it anew.
void settle(Journal& journal, Others others, const std::string& folder) {
  if (others == Others::none) {
    EXPECT_TRUE(journal.settle());
    return;
  }
  auto reader = sqlite_journal({.folder = folder});
  EXPECT_TRUE(reader->scan({}, [&](const Record&) {
    EXPECT_TRUE(journal.settle());
    return false;
  }));
}

// One user's history: runs, some of them noted as synced, and the checkpoints that fall due.
std::int64_t live_for_a_while(const std::string& folder, std::mt19937& random) {
  std::int64_t surely_kept = 0;
  const int runs = std::uniform_int_distribution<int>(1, 30)(random);
  for (int run = 0; run < runs; ++run) {
    auto journal = sqlite_journal({.folder = folder});
    const bool synced = random() % 8 == 0;
    const std::string note(random() % 40'000, 'n');
    const auto appended =
        append(*journal, note, synced ? Durability::synced : Durability::unsynced);
    EXPECT_TRUE(appended);
    if (synced && appended) surely_kept = appended->head.seq;
    settle(*journal, random() % 4 == 0 ? Others::reading : Others::none, folder);
  }
  return surely_kept;
}

TEST(PowerCut, LosesAtMostUnsyncedRecordsFromTheEndAndNeverTheChain) {
  std::int64_t lost = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const MemoryFolder before;
    const MemoryFolder after;
    ASSERT_TRUE(append(before.path(), "first"));
    std::int64_t surely_kept = 0;
    std::int64_t written = 0;
    {
      PowerCutDisk disk;
      surely_kept = live_for_a_while(before.path(), random);
      written = sqlite_journal({.folder = before.path()})->head().value()->seq;
      disk.after_power_cut(after.path(), random);
    }
    ::chmod(after.path().c_str(), 0700);
    const Verification verification = verified(after.path());
    ASSERT_TRUE(verification.sound()) << "seed " << seed;
    ASSERT_GE(verification.records, surely_kept) << "seed " << seed;
    ASSERT_LE(verification.records, written) << "seed " << seed;
    lost += written - verification.records;
    const auto next = append(after.path(), "next");
    ASSERT_TRUE(next) << next.error().describe();
    ASSERT_EQ(next->notice, "") << "seed " << seed;
    ASSERT_TRUE(verified(after.path()).sound()) << "seed " << seed;
  }
  // The control: this disk does lose what is not synced.
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace ward::journal::test
