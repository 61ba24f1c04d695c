// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// SqliteDb and Statement: the little of SQLite that the journal uses, with Ward's errors and
// ownership. One connection belongs to one thread. Settings that a journal always wants (no waiting
// but by the deadline, no checkpoint on close, no code stored in the file) are made on opening.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ward::journal {

using Deadline = std::chrono::steady_clock::time_point;

// What a connection and its statements share.
struct SqliteState {
  Deadline deadline;
  // A file was found not to be what a journal's database is.
  bool damaged = false;
};

// Must not outlive its connection.
class Statement {
 public:
  Statement(sqlite3_stmt* statement, SqliteState* state) : statement_(statement), state_(state) {}

  // Parameters count from 1, columns from 0. Bound text must live until reset().
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind_text(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, std::string_view bytes);

  // True: there is a row; false: it is done, and reset.
  Result<bool> step();
  // Until it is done; for statements without rows.
  Status run();
  void reset();

  std::int64_t integer(int column) const;
  // Valid until the next step.
  std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  SqliteState* state_;
};

class SqliteDb {
 public:
  enum class Access { read, write, create };
  static Result<SqliteDb> open(const std::string& path, Access access, Deadline deadline);

  Result<Statement> prepare(std::string_view sql);
  // Statements without rows, separated by semicolons.
  Status execute(const std::string& sql);
  // The one integer that `sql` yields.
  Result<std::int64_t> integer(std::string_view sql);

  // Until when calls wait for other processes.
  void set_deadline(Deadline deadline) { state_->deadline = deadline; }

  enum class Checkpoint { done, others_are_busy };
  // Moves the log into the database and makes it empty, without waiting.
  Result<Checkpoint> checkpoint();

  // Whether any call so far failed because of what is in the files.
  bool damaged() const { return state_->damaged; }

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  SqliteDb() = default;
  // On the heap: the connection points to it, and the object moves.
  std::unique_ptr<SqliteState> state_ = std::make_unique<SqliteState>();
  std::unique_ptr<sqlite3, Close> db_;
};

}  // namespace ward::journal
