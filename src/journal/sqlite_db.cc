// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/sqlite_db.h"

#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <ctime>

namespace ward::journal {

namespace {

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return ErrorKind::busy;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM: return ErrorKind::exhausted;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return ErrorKind::denied;
    case SQLITE_MISUSE:
    case SQLITE_RANGE: return ErrorKind::bug;
    default: return ErrorKind::io;
  }
}

Error error_of(sqlite3* db, int code, std::string_view what) {
  std::string message(what);
  message += ": ";
  message += db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  const int os_errno = db != nullptr ? sqlite3_system_errno(db) : 0;
  if ((code & 0xff) == SQLITE_IOERR && os_errno != 0)
    return Error::from_errno(os_errno, std::move(message));
  return Error(kind_of(code), std::move(message));
}

bool is_damage(int code) {
  return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

// Waits a little, or not at all once the deadline has passed. The wait is random, so that processes
// that met once do not meet again and again.
int wait_for_others(void* context, int /*tries*/) {
  if (std::chrono::steady_clock::now() >= static_cast<const SqliteState*>(context)->deadline)
    return 0;
  constexpr long kShortestNs = 100'000;
  constexpr unsigned kSpreadNs = 900'000;
  unsigned random = 0;
  sqlite3_randomness(sizeof random, &random);
  const struct timespec wait = {.tv_sec = 0,
                                .tv_nsec = kShortestNs + static_cast<long>(random % kSpreadNs)};
  ::nanosleep(&wait, nullptr);
  return 1;
}

void configure(sqlite3* db, SqliteState* state) {
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_handler(db, wait_for_others, state);
  // The file may have been written by somebody else: what it holds is data, never code.
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // A checkpoint costs two syncs. It is made by checkpoint() alone, when a run is over.
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_wal_autocheckpoint(db, 0);
}

int open_flags(SqliteDb::Access access) {
  constexpr int kOwnThread = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  switch (access) {
    case SqliteDb::Access::read: return kOwnThread | SQLITE_OPEN_READONLY;
    case SqliteDb::Access::write: return kOwnThread | SQLITE_OPEN_READWRITE;
    case SqliteDb::Access::create: break;
  }
  return kOwnThread | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
  // A null pointer would be NULL, and an empty view may have one.
  sqlite3_bind_text64(statement_.get(), parameter, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  state_->damaged |= is_damage(code);
  Error error = error_of(sqlite3_db_handle(statement_.get()), code, sqlite3_sql(statement_.get()));
  reset();
  return fail(std::move(error));
}

Status Statement::run() {
  for (;;) {
    WARD_ASSIGN(const bool row, step());
    if (!row) return {};
  }
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(data), size);
}

void SqliteDb::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Result<SqliteDb> SqliteDb::open(const std::string& path, Access access, Deadline deadline) {
  SqliteDb db;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, open_flags(access), nullptr);
  db.db_.reset(raw);
  if (code != SQLITE_OK)
    return fail(
        error_of(raw, raw != nullptr ? sqlite3_extended_errcode(raw) : code, "open " + path));
  db.set_deadline(deadline);
  configure(raw, db.state_.get());
  return db;
}

Result<Statement> SqliteDb::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()), 0,
                                      &statement, nullptr);
  if (code == SQLITE_OK) return Statement(statement, state_.get());
  // The text is Ward's own and was right for this schema version: what SQLITE_ERROR misses (a
  // table, a column) was taken away.
  state_->damaged |= is_damage(code) || code == SQLITE_ERROR;
  return fail(error_of(db_.get(), code, sql));
}

Status SqliteDb::execute(const std::string& sql) {
  const int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  state_->damaged |= is_damage(code);
  return fail(error_of(db_.get(), code, sql));
}

Result<std::int64_t> SqliteDb::integer(std::string_view sql) {
  WARD_ASSIGN(Statement statement, prepare(sql));
  WARD_ASSIGN(const bool row, statement.step());
  if (!row) return fail(ErrorKind::bug, std::string(sql) + ": no row");
  return statement.integer(0);
}

Result<SqliteDb::Checkpoint> SqliteDb::checkpoint() {
  const Deadline deadline = state_->deadline;
  set_deadline({});
  const int code =
      sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  set_deadline(deadline);
  if ((code & 0xff) == SQLITE_BUSY) return Checkpoint::others_are_busy;
  if (code == SQLITE_OK) return Checkpoint::done;
  state_->damaged |= is_damage(code);
  return fail(error_of(db_.get(), code, "checkpoint"));
}

}  // namespace ward::journal
