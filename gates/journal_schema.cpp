#include "gates/journal_schema.hpp"

#include <fcntl.h>
#include <sqlite3.h>

#include <cerrno>

#include "gates/journal.hpp"
#include "providers/support/log.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {
namespace {

// Results are BLOBs: only then length() does not read them. A key that was
// used must not run twice, whatever looked it up: hence the unique index.
constexpr const char* kCalls = R"sql(
BEGIN IMMEDIATE;
CREATE TABLE calls (
  sequence INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  state INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  completed_at TEXT NOT NULL,
  result BLOB NOT NULL
) STRICT;
CREATE INDEX calls_by_key ON calls (session_id, idempotency_key, sequence)
  WHERE idempotency_key <> '';
CREATE UNIQUE INDEX calls_once ON calls (session_id, idempotency_key)
  WHERE idempotency_key <> '' AND state <> 2;
CREATE INDEX calls_started ON calls (state) WHERE state = 0;
CREATE TABLE decisions (
  sequence INTEGER PRIMARY KEY,
  approval_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  approval_digest TEXT NOT NULL,
  decision TEXT NOT NULL,
  option_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  comment TEXT NOT NULL
) STRICT;
CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  time TEXT NOT NULL,
  call_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_call ON audit (call_id, sequence) WHERE call_id <> '';
PRAGMA user_version = 1;
COMMIT;
)sql";
static_assert(static_cast<int>(JournalState::started) == 0 &&
              static_cast<int>(JournalState::failed) == 2 &&
              static_cast<int>(JournalState::unknown) == 3);

// Questions outlive a kill. A decision is looked up by its question at the
// start.
constexpr const char* kApprovals = R"sql(
BEGIN IMMEDIATE;
CREATE TABLE approvals (
  sequence INTEGER PRIMARY KEY,
  approval_id TEXT NOT NULL UNIQUE,
  call_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_by_call ON approvals (call_id);
CREATE INDEX decisions_by_approval ON decisions (approval_id);
PRAGMA user_version = 2;
COMMIT;
)sql";

// The step at N makes version N + 1 of version N.
constexpr const char* kSteps[] = {kCalls, kApprovals};
static_assert(std::size(kSteps) == kJournalVersion);

Result<void> back_up(Connection& connection, const std::string& file,
                     std::int64_t version) {
  const std::string copy = file + ".version-" + std::to_string(version);
  {
    // SQLite fills an empty file and keeps its mode.
    const UniqueFd fd(
        open(copy.c_str(),
             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
             0600));
    if (!fd) return system_error("cannot create " + copy, errno);
  }
  auto statement = connection.prepare("VACUUM INTO ?1");
  if (!statement) return statement.error();
  statement->bind(1, copy);
  const int status = statement->run();
  if (status != SQLITE_OK) {
    return connection.error("copy to " + copy + ", before a change of schema,",
                            status);
  }
  log_info("the journal gets a newer schema; a copy is kept as " + copy);
  return {};
}

}  // namespace

Result<void> migrate_journal(Connection& connection, const std::string& file,
                             std::int64_t version) {
  if (version > 0 && version < kJournalVersion) {
    if (auto kept = back_up(connection, file, version); !kept) {
      return kept.error();
    }
  }
  for (; version < kJournalVersion; ++version) {
    const int status = connection.run(kSteps[version]);
    if (status == SQLITE_OK) continue;
    Error error = connection.error("change the schema of", status);
    if (connection.in_transaction()) connection.run("ROLLBACK");
    return error;
  }
  return {};
}

}  // namespace toolhost
