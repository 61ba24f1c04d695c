// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/schema.h"

#include <array>
#include <string>

namespace ward::journal {

namespace {

// Step N brings version N to version N + 1.
constexpr std::array kSteps = std::to_array<const char*>({
    // The columns are portable; the sequence is an alias of SQLite's row id, so that appending
    // touches the last page only. There is no index: a run's records stand close together, and a
    // second tree would double what every start has to write.
    "CREATE TABLE events ("
    " seq INTEGER PRIMARY KEY,"
    " time_us BIGINT NOT NULL,"
    " run TEXT NOT NULL,"
    " kind TEXT NOT NULL,"
    " payload TEXT NOT NULL,"
    " prev BLOB NOT NULL,"
    " hash BLOB NOT NULL)",
});

Status take_steps(SqliteDb& db) {
  WARD_ASSIGN(const std::int64_t version, db.integer("PRAGMA user_version"));
  if (version < 0 || version >= kSchemaVersion) return {};
  for (auto step = static_cast<std::size_t>(version); step < kSteps.size(); ++step)
    WARD_TRY(db.execute(kSteps[step]));
  return db.execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                    "; PRAGMA user_version = " + std::to_string(kSchemaVersion));
}

}  // namespace

const std::int64_t kSchemaVersion = static_cast<std::int64_t>(kSteps.size());

Status migrate(SqliteDb& db) {
  WARD_TRY(db.execute("BEGIN IMMEDIATE"));
  Status taken = take_steps(db);
  if (taken) taken = db.execute("COMMIT");
  if (!taken) static_cast<void>(db.execute("ROLLBACK"));
  return in_context(std::move(taken),
                    "bring the journal to version " + std::to_string(kSchemaVersion));
}

Result<SchemaState> schema_state(SqliteDb& db) {
  WARD_ASSIGN(const std::int64_t version, db.integer("PRAGMA user_version"));
  // The usual case asks one question only. Somebody else's database with this number has not the
  // table, which the first statement finds.
  if (version == kSchemaVersion) return SchemaState::current;
  WARD_ASSIGN(const std::int64_t application, db.integer("PRAGMA application_id"));
  if (application != kApplicationId) return SchemaState::not_a_journal;
  return version > kSchemaVersion ? SchemaState::newer : SchemaState::older;
}

}  // namespace ward::journal
