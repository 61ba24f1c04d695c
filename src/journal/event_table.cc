// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/event_table.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "journal/chain.h"

namespace ward::journal {

namespace {

constexpr std::int64_t kLastSeq = std::numeric_limits<std::int64_t>::max() / 2;

std::string_view as_bytes(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

// A hash of another size is no hash; zeros fit no record, so verify() finds it.
Hash as_hash(std::string_view bytes) {
  Hash hash = {};
  if (bytes.size() == hash.size()) std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

Record record_of(const Statement& row) {
  return {.seq = row.integer(0),
          .time = Time(std::chrono::microseconds(row.integer(1))),
          .run = std::string(row.bytes(2)),
          .kind = std::string(row.bytes(3)),
          .payload = std::string(row.bytes(4)),
          .previous = as_hash(row.bytes(5)),
          .hash = as_hash(row.bytes(6))};
}

Status insert(Statement& statement, const Record& record) {
  statement.bind(1, record.seq)
      .bind(2, record.time.time_since_epoch().count())
      .bind_text(3, record.run)
      .bind_text(4, record.kind)
      .bind_text(5, record.payload)
      .bind_blob(6, as_bytes(record.previous))
      .bind_blob(7, as_bytes(record.hash));
  return statement.run();
}

Result<Head> insert_all(SqliteDb& db, std::span<const Event> events) {
  WARD_ASSIGN(std::optional<Head> last, read_head(db));
  Head head = last.value_or(Head{});
  if (head.seq < 0 || head.seq > kLastSeq)
    return fail(ErrorKind::exhausted,
                "the journal has no number after " + std::to_string(head.seq));
  WARD_ASSIGN(Statement statement, db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"));
  for (const Event& event : events) {
    Record record = {.seq = head.seq + 1,
                     .time = event.time,
                     .run = event.run,
                     .kind = std::string(to_string(event.kind)),
                     .payload = event.payload.text(),
                     .previous = head.hash};
    record.hash = hash_of(record);
    WARD_TRY(insert(statement, record));
    head = {record.seq, record.hash};
  }
  return head;
}

}  // namespace

Result<std::optional<Head>> read_head(SqliteDb& db) {
  WARD_ASSIGN(Statement rows, db.prepare("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"));
  WARD_ASSIGN(const bool found, rows.step());
  if (!found) return std::optional<Head>();
  return Head{rows.integer(0), as_hash(rows.bytes(1))};
}

Result<std::optional<Hash>> read_first_hash(SqliteDb& db) {
  WARD_ASSIGN(Statement rows, db.prepare("SELECT hash FROM events ORDER BY seq LIMIT 1"));
  WARD_ASSIGN(const bool found, rows.step());
  if (!found) return std::optional<Hash>();
  return as_hash(rows.bytes(0));
}

Status read_records(SqliteDb& db, const Query& query,
                    const std::function<bool(const Record&)>& visit) {
  std::string sql =
      "SELECT seq, time_us, run, kind, payload, prev, hash FROM events"
      " WHERE (?1 = '' OR run = ?1) AND (?2 = '' OR kind = ?2) ORDER BY seq";
  if (query.last) sql += " DESC LIMIT ?3";
  WARD_ASSIGN(Statement rows, db.prepare(sql));
  const std::string_view kind = query.kind ? to_string(*query.kind) : std::string_view();
  rows.bind_text(1, query.run).bind_text(2, kind);
  if (query.last) rows.bind(3, std::max<std::int64_t>(*query.last, 0));
  std::vector<Record> from_the_end;
  for (;;) {
    WARD_ASSIGN(const bool found, rows.step());
    if (!found) break;
    if (query.last)
      from_the_end.push_back(record_of(rows));
    else if (!visit(record_of(rows)))
      return {};
  }
  for (auto record = from_the_end.rbegin(); record != from_the_end.rend(); ++record)
    if (!visit(*record)) break;
  return {};
}

Result<Head> append_records(SqliteDb& db, std::span<const Event> events) {
  WARD_TRY(db.execute("BEGIN IMMEDIATE"));
  Result<Head> head = insert_all(db, events);
  Status ended = head ? db.execute("COMMIT") : Status();
  if (head && ended) return head;
  static_cast<void>(db.execute("ROLLBACK"));
  return fail(head ? std::move(ended).error() : std::move(head).error());
}

}  // namespace ward::journal
