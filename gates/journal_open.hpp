// Opening the journal's file: who may use it, which version it is, what is set
// aside. Blocking, at the start only: a new file takes about a millisecond.
#pragma once

#include <string>

#include "config/config.hpp"
#include "gates/journal.hpp"
#include "gates/journal_sqlite.hpp"
#include "protocol/error.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

struct OpenedJournal {
  // Declared first, given back last: a second daemon on the same file would
  // take our running calls for dead ones.
  UniqueFd lock;
  Connection writer;
  std::string set_aside;  // the new name of a file that could not be used
  std::vector<JournalApproval> approvals;  // still open, oldest first
};

// Creates the folder (0700) and the file (0600) where they are missing. A
// corrupt, newer or foreign database is renamed together with its log, an
// older one gets the newest schema (journal_schema.hpp).
// Whatever was `started` becomes `unknown`.
Result<OpenedJournal> open_journal_file(const std::string& file,
                                        const config::Journal& settings);

// Damage was met while running: the next open sets the file aside. Quietly
// does nothing where that cannot be written down.
void mark_journal_damaged(const std::string& file);

}  // namespace toolhost
