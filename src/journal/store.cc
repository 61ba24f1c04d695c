// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/store.h"

#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/id.h"
#include "journal/chain.h"
#include "journal/event_table.h"
#include "journal/schema.h"
#include "journal/sqlite_journal.h"
#include "sys/file_lock.h"
#include "sys/state_folder.h"

namespace ward::journal {

namespace {

constexpr const char* kName = "journal.db";
constexpr const char* kNewName = "journal.db.new";
// What SQLite keeps beside a database: write-ahead log, its index, rollback journal.
constexpr std::array kCompanions = std::to_array<const char*>({"-wal", "-shm", "-journal"});
// A database's header; anything shorter SQLite would take for an empty database, and throw away
// the log that may hold the last records.
constexpr off_t kHeaderBytes = 100;
constexpr mode_t kFileMode = 0600;
constexpr long kLockRetryNs = 500'000;

Status lock_until(int folder, sys::LockMode mode, Deadline deadline) {
  for (;;) {
    Status locked = sys::try_lock(folder, mode);
    if (locked || locked.error().os_errno() != EWOULDBLOCK) return locked;
    if (std::chrono::steady_clock::now() >= deadline)
      return fail(ErrorKind::busy, "another process is repairing the journal");
    const struct timespec wait = {.tv_sec = 0, .tv_nsec = kLockRetryNs};
    ::nanosleep(&wait, nullptr);
  }
}

Result<Event> creation_event(const std::optional<Replaced>& replaced) {
  // The id makes two chains differ that were begun in the same microsecond.
  WARD_ASSIGN(const Id id, Id::make());
  Event event = {.kind = EventKind::journal_created};
  event.payload.set("id", id.text());
  if (!replaced) return event;
  Payload old;
  old.set("file", replaced->file).set("reason", replaced->reason);
  if (replaced->head) old.set("head", to_string(*replaced->head));
  if (!replaced->chain.empty()) old.set("chain", replaced->chain);
  event.payload.set("replaces", old);
  return event;
}

// What a damaged database still says about its chain; nothing where it says nothing.
void read_remains(const std::string& path, Deadline deadline, Replaced& replaced) {
  auto db = SqliteDb::open(path, SqliteDb::Access::read, deadline);
  if (!db) return;
  if (auto head = read_head(*db)) replaced.head = *head;
  if (auto first = read_first_hash(*db); first && *first) replaced.chain = chain_id(**first);
}

}  // namespace

std::string sqlite_path(const std::string& folder) { return folder + "/" + kName; }

Result<Store> Store::open(const std::string& folder) {
  WARD_ASSIGN(UniqueFd fd, sys::open_state_folder(folder));
  return Store(folder, std::move(fd));
}

Result<Store> Store::make(const std::string& folder) {
  WARD_ASSIGN(UniqueFd fd, sys::make_state_folder(folder));
  return Store(folder, std::move(fd));
}

std::string Store::database_path() const { return sqlite_path(path_); }

Status Store::lock_shared(Deadline deadline) {
  return lock_until(folder_.get(), sys::LockMode::shared, deadline);
}

Status Store::lock_exclusive(Deadline deadline) {
  return lock_until(folder_.get(), sys::LockMode::exclusive, deadline);
}

void Store::unlock() { sys::unlock(folder_.get()); }

Result<Store::Sight> Store::look() const {
  auto status = sys::stat_at(folder_.get(), kName, AT_SYMLINK_NOFOLLOW);
  if (!status && status.error().os_errno() == ENOENT) return Sight{};
  if (!status) return fail(std::move(status).error());
  Sight sight = {.presence = Presence::present, .object = sys::object_id(*status)};
  if (!S_ISREG(status->st_mode))
    sight.damage = "it is not a file";
  else if (status->st_size < kHeaderBytes)
    sight.damage = "it was cut to " + std::to_string(status->st_size) + " bytes";
  if (!sight.damage.empty()) sight.presence = Presence::damaged;
  return sight;
}

Result<std::int64_t> Store::log_bytes() const {
  auto status = sys::stat_at(folder_.get(), std::string(kName) + "-wal", AT_SYMLINK_NOFOLLOW);
  if (!status && status.error().os_errno() == ENOENT) return std::int64_t{0};
  if (!status) return fail(std::move(status).error());
  return static_cast<std::int64_t>(status->st_size);
}

Status Store::rename_if_present(const std::string& from, const std::string& to) const {
  if (::renameat(folder_.get(), from.c_str(), folder_.get(), to.c_str()) == 0 || errno == ENOENT)
    return {};
  return fail_errno(errno, "rename " + path_ + "/" + from + " to " + to);
}

Status Store::remove_if_present(const std::string& name) const {
  if (::unlinkat(folder_.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return fail_errno(errno, "remove " + path_ + "/" + name);
}

Status Store::write_new(const std::optional<Replaced>& replaced, Deadline deadline) const {
  WARD_ASSIGN(const Event first, creation_event(replaced));
  WARD_ASSIGN(SqliteDb db,
              SqliteDb::open(path_ + "/" + kNewName, SqliteDb::Access::create, deadline));
  if (::fchmodat(folder_.get(), kNewName, kFileMode, 0) != 0)
    return fail_errno(errno, "chmod " + path_ + "/" + kNewName);
  WARD_TRY(db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
  WARD_TRY(migrate(db));
  WARD_TRY(append_records(db, std::span(&first, 1)));
  WARD_ASSIGN(const SqliteDb::Checkpoint moved, db.checkpoint());
  if (moved != SqliteDb::Checkpoint::done)
    return fail(ErrorKind::busy, "somebody holds the new journal open");
  return {};
}

Status Store::create(const std::optional<Replaced>& replaced, Deadline deadline) {
  // What an earlier attempt left that did not come to its end: never yet anybody's journal.
  WARD_TRY(remove_if_present(kNewName));
  for (const char* companion : kCompanions)
    WARD_TRY(remove_if_present(std::string(kNewName) + companion));
  WARD_TRY(in_context(write_new(replaced, deadline), "make " + database_path()));
  for (const char* companion : kCompanions)
    WARD_TRY(remove_if_present(std::string(kNewName) + companion));
  // A log without its database: SQLite would replay it into the new one.
  WARD_ASSIGN(const Id id, Id::make());
  for (const char* companion : kCompanions)
    WARD_TRY(rename_if_present(std::string(kName) + companion,
                               "journal.orphaned-" + id.text() + ".db" + companion));
  WARD_TRY(rename_if_present(kNewName, kName));
  if (::fsync(folder_.get()) != 0) return fail_errno(errno, "fsync " + path_);
  return {};
}

Result<Replaced> Store::set_aside(const std::string& reason, Deadline deadline) {
  WARD_ASSIGN(const Id id, Id::make());
  Replaced replaced = {.file = "journal.damaged-" + id.text() + ".db", .reason = reason};
  read_remains(database_path(), deadline, replaced);
  WARD_TRY(rename_if_present(kName, replaced.file));
  for (const char* companion : kCompanions)
    WARD_TRY(rename_if_present(std::string(kName) + companion, replaced.file + companion));
  return replaced;
}

}  // namespace ward::journal
