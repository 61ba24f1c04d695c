// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/sqlite_journal.h"

#include <cerrno>
#include <utility>

#include "journal/chain.h"
#include "journal/event_table.h"
#include "journal/schema.h"
#include "journal/sqlite_db.h"
#include "journal/store.h"
#include "sys/file_size_signal.h"

namespace ward::journal {

namespace {

// The log is read by the first process that opens the database while no other has it open: it is
// part of the price of a start, a tenth of a millisecond for this much.
constexpr std::int64_t kSettleBytes = 256 * 1024;

struct Opened {
  Store store;
  SqliteDb db;
};

// Why a journal could not be opened or used. `damage` is what is wrong with its files, or empty.
struct Trouble {
  Error error;
  std::string damage;
  sys::ObjectId object;  // the file that is damaged
};
template <class T>
using Attempt = tl::expected<T, Trouble>;

tl::unexpected<Trouble> give_up(Error error) {
  return tl::unexpected<Trouble>(Trouble{std::move(error), {}, {}});
}

tl::unexpected<Trouble> damaged(std::string damage, const sys::ObjectId& object) {
  Error error(ErrorKind::io, "the journal is damaged: " + damage);
  return tl::unexpected<Trouble>(Trouble{std::move(error), std::move(damage), object});
}

Status newer() {
  return fail(Error(ErrorKind::unsupported, "the journal was written by a newer Ward")
                  .with_remedy("use that one, or another XDG_STATE_HOME"));
}

class SqliteJournal final : public Journal {
 public:
  explicit SqliteJournal(SqliteOptions options) : options_(std::move(options)) {}

  Result<Appended> append(std::span<const Event> events, Durability durability) override;
  Status settle() override;
  Status scan(const Query& query, const std::function<bool(const Record&)>& visit) override;
  Result<std::optional<Head>> head() override;

 private:
  Deadline deadline() const { return std::chrono::steady_clock::now() + options_.patience; }
  Attempt<Appended> try_append(std::span<const Event> events, Durability durability);
  Attempt<void> open_for_writing();
  bool was_moved_away() const;
  Attempt<Opened> open_present(Store store, const Store::Sight& sight);
  Result<std::string> replace(const Trouble& trouble);
  // Null: there is no journal yet.
  Result<SqliteDb*> reader();
  tl::unexpected<Trouble> explain(Error error);

  SqliteOptions options_;
  std::optional<Opened> writing_;
  std::optional<SqliteDb> reading_;
  sys::ObjectId object_;  // the file that is open for writing
  std::string chain_;     // which chain it holds, once known
};

tl::unexpected<Trouble> SqliteJournal::explain(Error error) {
  if (writing_ && writing_->db.damaged()) return damaged(error.message(), object_);
  return give_up(std::move(error));
}

Attempt<void> SqliteJournal::open_for_writing() {
  auto store = Store::make(options_.folder);
  if (!store) return give_up(std::move(store).error());
  if (Status locked = store->lock_shared(deadline()); !locked)
    return give_up(std::move(locked).error());
  auto sight = store->look();
  if (sight && sight->presence == Store::Presence::absent) {
    Status created = store->lock_exclusive(deadline());
    // Another process may have been first.
    if (created) sight = store->look();
    if (created && sight && sight->presence == Store::Presence::absent)
      created = store->create(std::nullopt, deadline());
    if (!created) return give_up(std::move(created).error());
    sight = store->look();
  }
  if (!sight) return give_up(std::move(sight).error());
  auto opened = open_present(std::move(*store), *sight);
  if (!opened) return tl::unexpected<Trouble>(std::move(opened).error());
  writing_.emplace(std::move(*opened));
  writing_->store.unlock();
  return {};
}

// Another process has set the open database aside, or somebody has removed it.
bool SqliteJournal::was_moved_away() const {
  auto sight = writing_->store.look();
  return sight && sight->object != object_;
}

Attempt<Opened> SqliteJournal::open_present(Store store, const Store::Sight& sight) {
  if (sight.presence == Store::Presence::damaged) return damaged(sight.damage, sight.object);
  auto db = SqliteDb::open(store.database_path(), SqliteDb::Access::write, deadline());
  if (!db) return give_up(std::move(db).error());
  auto trouble = [&](Error error) {
    return db->damaged() ? damaged(error.message(), sight.object) : give_up(std::move(error));
  };
  auto state = schema_state(*db);
  if (!state) return trouble(std::move(state).error());
  Status ready;
  switch (*state) {
    case SchemaState::current: break;
    case SchemaState::older: ready = migrate(*db); break;
    case SchemaState::newer: ready = newer(); break;
    case SchemaState::not_a_journal: return damaged("it is not a journal", sight.object);
  }
  // A commit is then not synced, but the first one after the log was begun anew is: without that,
  // a power cut could leave old and new log mixed.
  if (ready) ready = db->execute("PRAGMA synchronous = NORMAL");
  if (!ready) return trouble(std::move(ready).error());
  object_ = sight.object;
  chain_.clear();
  return Opened{std::move(store), std::move(*db)};
}

Attempt<Appended> SqliteJournal::try_append(std::span<const Event> events, Durability durability) {
  if (writing_ && was_moved_away()) writing_.reset();
  if (!writing_)
    if (auto opened = open_for_writing(); !opened)
      return tl::unexpected<Trouble>(std::move(opened).error());
  SqliteDb& db = writing_->db;
  db.set_deadline(deadline());
  Status ready;
  if (durability == Durability::synced) ready = db.execute("PRAGMA synchronous = FULL");
  Result<Head> head = ready ? append_records(db, events) : Result<Head>(fail(ready.error()));
  if (durability == Durability::synced && head) ready = db.execute("PRAGMA synchronous = NORMAL");
  if (!head) return explain(std::move(head).error());
  if (!ready) return explain(std::move(ready).error());
  if (chain_.empty()) {
    auto first = read_first_hash(db);
    if (!first) return explain(std::move(first).error());
    if (*first) chain_ = chain_id(**first);
  }
  return Appended{.head = *head, .chain = chain_, .notice = {}};
}

Result<std::string> SqliteJournal::replace(const Trouble& trouble) {
  WARD_ASSIGN(Store store, Store::make(options_.folder));
  WARD_TRY(store.lock_exclusive(deadline()));
  WARD_ASSIGN(const Store::Sight sight, store.look());
  // Somebody else found the same and was first.
  if (sight.presence == Store::Presence::present && sight.object != trouble.object)
    return std::string();
  std::optional<Replaced> replaced;
  if (sight.presence != Store::Presence::absent) {
    WARD_ASSIGN(replaced, store.set_aside(trouble.damage, deadline()));
  }
  WARD_TRY(store.create(replaced, deadline()));
  if (!replaced) return std::string();
  return "the journal was damaged (" + replaced->reason + "); it was set aside as " +
         options_.folder + "/" + replaced->file + " and a new one was begun";
}

Result<Appended> SqliteJournal::append(std::span<const Event> events, Durability durability) {
  const sys::FileSizeSignalHeld no_signal;
  auto appended = try_append(events, durability);
  if (!appended && !appended.error().damage.empty()) {
    // Once more on a fresh connection: SQLite takes a read that failed once for damage, too.
    writing_.reset();
    appended = try_append(events, durability);
  }
  if (appended) return *std::move(appended);
  const Trouble trouble = std::move(appended).error();
  writing_.reset();
  if (trouble.damage.empty()) return fail(trouble.error);
  WARD_ASSIGN(std::string notice, in_context(replace(trouble), trouble.error.message()));
  auto again = try_append(events, durability);
  if (!again) return fail(std::move(again).error().error.with_context(notice));
  again->notice = std::move(notice);
  return *std::move(again);
}

Status SqliteJournal::settle() {
  if (!writing_) return {};
  WARD_ASSIGN(const std::int64_t log_bytes, writing_->store.log_bytes());
  if (log_bytes < kSettleBytes) return {};
  const sys::FileSizeSignalHeld no_signal;
  SqliteDb& db = writing_->db;
  db.set_deadline(deadline());
  WARD_ASSIGN(const SqliteDb::Checkpoint moved, db.checkpoint());
  if (moved == SqliteDb::Checkpoint::others_are_busy) return {};
  // The first record of an empty log has to sync it. Here, and not when the next run starts.
  return db.execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
}

Result<SqliteDb*> SqliteJournal::reader() {
  if (writing_) return &writing_->db;
  if (reading_) return &*reading_;
  auto store = Store::open(options_.folder);
  if (!store && store.error().os_errno() == ENOENT) return nullptr;
  if (!store) return fail(std::move(store).error());
  WARD_TRY(store->lock_shared(deadline()));
  WARD_ASSIGN(const Store::Sight sight, store->look());
  if (sight.presence == Store::Presence::absent) return nullptr;
  if (sight.presence == Store::Presence::damaged)
    return fail(ErrorKind::io, store->database_path() + " is damaged: " + sight.damage);
  WARD_ASSIGN(SqliteDb db,
              SqliteDb::open(store->database_path(), SqliteDb::Access::read, deadline()));
  WARD_ASSIGN(const SchemaState state, schema_state(db));
  if (state == SchemaState::newer) WARD_TRY(newer());
  if (state == SchemaState::not_a_journal)
    return fail(ErrorKind::io, store->database_path() + " is not a journal");
  reading_.emplace(std::move(db));
  return &*reading_;
}

Status SqliteJournal::scan(const Query& query, const std::function<bool(const Record&)>& visit) {
  WARD_ASSIGN(SqliteDb * db, reader());
  if (db == nullptr) return {};
  db->set_deadline(deadline());
  return read_records(*db, query, visit);
}

Result<std::optional<Head>> SqliteJournal::head() {
  WARD_ASSIGN(SqliteDb * db, reader());
  if (db == nullptr) return std::optional<Head>();
  db->set_deadline(deadline());
  return read_head(*db);
}

}  // namespace

std::unique_ptr<Journal> sqlite_journal(SqliteOptions options) {
  return std::make_unique<SqliteJournal>(std::move(options));
}

}  // namespace ward::journal
