// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The journal of one user on one machine: a SQLite database in write-ahead-log mode in the user's
// state folder. Opened at first use, closed with the object; making one costs nothing, and a
// process that is about to clone destroys it before and makes another after. A damaged database is
// set aside under a new name by the next append, never deleted, and a new chain begins.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "journal/journal.h"

namespace ward::journal {

struct SqliteOptions {
  std::string folder;  // the state folder, see sys/state_folder.h; made if absent
  // How long one call waits for other processes in all.
  std::chrono::milliseconds patience = std::chrono::seconds(5);
};

std::unique_ptr<Journal> sqlite_journal(SqliteOptions options);

// The database of a state folder.
std::string sqlite_path(const std::string& folder);

}  // namespace ward::journal
