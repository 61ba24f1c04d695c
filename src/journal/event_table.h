// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Reading and writing the table of events of one open database. Knows SQL and the chain, and
// nothing of files, locks or damage. Belongs to the thread of its connection.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "journal/journal.h"
#include "journal/sqlite_db.h"

namespace ward::journal {

Result<std::optional<Head>> read_head(SqliteDb& db);
// The hash of the first record there is.
Result<std::optional<Hash>> read_first_hash(SqliteDb& db);
Status read_records(SqliteDb& db, const Query& query,
                    const std::function<bool(const Record&)>& visit);

// Writes the events behind the last record, in one transaction. exhausted: the chain has no
// further number, which no honest journal reaches.
Result<Head> append_records(SqliteDb& db, std::span<const Event> events);

}  // namespace ward::journal
