// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Store: the files of a journal in its state folder. A database appears there complete or not at
// all, and a damaged one goes under another name as a whole. Everyone who opens one holds the
// folder's lock shared until the connection has its files open; who makes or renames files holds it
// exclusively, or an opener could pair an old database with a new log. One thread.
#pragma once

#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "journal/journal.h"
#include "journal/sqlite_db.h"
#include "sys/file.h"

namespace ward::journal {

// What a new chain says about the one whose place it takes.
struct Replaced {
  std::string file;               // its new name
  std::string reason;             // what was wrong with it
  std::optional<Head> head = {};  // where it had come to, if it could still be read
  std::string chain = {};         // which it was, or empty
};

class Store {
 public:
  // not_found (ENOENT) if there is no folder.
  static Result<Store> open(const std::string& folder);
  static Result<Store> make(const std::string& folder);

  // Held until unlock() or the end of the store.
  Status lock_shared(Deadline deadline);
  Status lock_exclusive(Deadline deadline);
  void unlock();

  enum class Presence { absent, present, damaged };
  struct Sight {
    Presence presence = Presence::absent;
    sys::ObjectId object = {};
    std::string damage = {};  // a sentence, where damaged
  };
  // From the outside: is it a file, has it a header's size.
  Result<Sight> look() const;
  // Bytes in the database's write-ahead log.
  Result<std::int64_t> log_bytes() const;

  // Precondition of both: locked exclusively.
  // Makes a database with the first record of a chain. Precondition: look() says absent.
  Status create(const std::optional<Replaced>& replaced, Deadline deadline);
  // Renames the database and what belongs to it.
  Result<Replaced> set_aside(const std::string& reason, Deadline deadline);

  std::string database_path() const;

 private:
  Store(std::string path, UniqueFd folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  Status rename_if_present(const std::string& from, const std::string& to) const;
  Status remove_if_present(const std::string& name) const;
  Status write_new(const std::optional<Replaced>& replaced, Deadline deadline) const;

  std::string path_;
  UniqueFd folder_;
};

}  // namespace ward::journal
