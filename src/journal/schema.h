// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The tables of a journal's SQLite database, as the list of steps that made them. A step that was
// ever released is never edited: a change is a further step.
#pragma once

#include <cstdint>

#include "journal/sqlite_db.h"

namespace ward::journal {

// In the file's header ("Ward" in ASCII): says whose database it is before a table is looked at.
inline constexpr std::int64_t kApplicationId = 0x57617264;
extern const std::int64_t kSchemaVersion;

// Takes the steps that the database lacks; all of them or none.
Status migrate(SqliteDb& db);

// By the header alone.
enum class SchemaState { current, older, newer, not_a_journal };
Result<SchemaState> schema_state(SqliteDb& db);

}  // namespace ward::journal
