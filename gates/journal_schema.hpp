// The journal's schema: its versions, and how an older file becomes the newest.
//
// A version is a step of SQL in a table; a new file takes all of them. Before
// an older file is changed a copy is kept beside it ("journal.db.version-1"),
// which an older daemon can be given back.
#pragma once

#include <cstdint>
#include <string>

#include "gates/journal_sqlite.hpp"
#include "protocol/error.hpp"

namespace toolhost {

inline constexpr std::int64_t kJournalVersion = 2;

// Takes every step after `version` (0: a new file), each in a transaction. The
// error's details have the code of SQLite ("sqlite"); the file is then as it
// was, or at a version in between.
Result<void> migrate_journal(Connection& connection, const std::string& file,
                             std::int64_t version);

}  // namespace toolhost
