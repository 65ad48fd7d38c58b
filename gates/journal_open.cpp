#include "gates/journal_open.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "gates/journal.hpp"
#include "protocol/clock.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// Results are BLOBs: only then length() does not read them. A key that was
// used must not run twice, whatever looked it up: hence the unique index.
constexpr const char* kSchema = R"sql(
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

Result<void> make_folder(const std::string& file) {
  const auto folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;  // mkdir below says what is wrong
  std::filesystem::create_directories(folder.parent_path(), ignored);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("cannot create the folder " + folder.string(), errno);
  }
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) {
    return system_error("cannot look at " + folder.string(), errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    return system_error("cannot use " + folder.string(), ENOTDIR);
  }
  const bool shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (shared || status.st_uid != geteuid()) {
    return make_error(Code::internal,
                      "the folder " + folder.string() +
                          " of the journal can be written by others",
                      "Make it yours and run chmod 700 on it.");
  }
  return {};
}

Result<UniqueFd> take_lock(const std::string& file) {
  const std::string name = file + ".lock";
  UniqueFd fd(
      open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return system_error("cannot create " + name, errno);
  if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) return system_error("cannot lock " + name, errno);
  return make_error(Code::internal,
                    "the journal " + file + " is in use by another daemon",
                    "Stop that daemon, or give this one a state folder of "
                    "its own (XDG_STATE_HOME).");
}

// Makes the file, or checks whose it is. Closing a descriptor drops the locks
// of SQLite in this process: so all of this comes before SQLite.
Result<void> prepare_file(const std::string& file) {
  const UniqueFd fd(open(file.c_str(),
                         O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                         0600));
  if (!fd) return system_error("cannot open the journal " + file, errno);
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) {
    return system_error("cannot look at the journal " + file, errno);
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
    return make_error(
        Code::internal,
        "the journal " + file + " is not a regular file of this user",
        "Move it away; a new one is made at the next start.");
  }
  if ((status.st_mode & 077) != 0 && fchmod(fd.get(), 0600) != 0) {
    return system_error("cannot run chmod 600 on " + file, errno);
  }
  return {};
}

std::string free_name(const std::string& file, const char* why) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
  const std::string base = file + "." + why + "-" + stamp;
  std::string name = base;
  for (int n = 2; access(name.c_str(), F_OK) == 0; ++n) {
    name = base + "-" + std::to_string(n);
  }
  return name;
}

Result<std::string> set_aside(const std::string& file, const char* why) {
  std::string name = free_name(file, why);
  // The log first: a new database must never meet an old log.
  for (const char* tail : {"-wal", "-shm", ""}) {
    const std::string from = file + tail;
    const std::string to = name + tail;
    if (rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) {
      return system_error("cannot rename " + from + " to " + to, errno);
    }
  }
  unlink((file + ".damaged").c_str());
  log_error("the journal was set aside, a new one begins; reason=" +
            std::string(why) + " file=" + name);
  return name;
}

// What stands in the way of using a database: a word for its new name.
struct Verdict {
  int status = SQLITE_OK;
  const char* unusable = nullptr;
};

Verdict judge_version(Connection& connection) {
  auto statement = connection.prepare(
      "SELECT user_version, (SELECT count(*) FROM sqlite_schema) "
      "FROM pragma_user_version");
  Verdict verdict;
  if (!statement) {
    verdict.status =
        static_cast<int>(statement.error().details["sqlite"].as_int64());
    return verdict;
  }
  const int status = statement->step();
  if (status != SQLITE_ROW) {
    verdict.status = status;
  } else if (statement->number(0) > kJournalVersion) {
    verdict.unusable = "newer";
  } else if (statement->number(0) < kJournalVersion &&
             statement->number(1) > 0) {
    verdict.unusable = "foreign";
  }
  return verdict;
}

int set_up(Connection& connection, const config::Journal& settings,
           bool is_new) {
  // A power cut in the middle of this leaves nothing worth keeping, unless
  // every commit has to be safe from then on.
  if (is_new && !settings.sync_full) connection.run("PRAGMA synchronous = OFF");
  int status = connection.run("PRAGMA journal_mode = WAL");
  if (status != SQLITE_OK) return status;
  if (is_new) status = connection.run(kSchema);
  if (status != SQLITE_OK) return status;
  status = connection.run(settings.sync_full ? "PRAGMA synchronous = FULL"
                                             : "PRAGMA synchronous = NORMAL");
  if (status != SQLITE_OK) return status;
  // The log shrinks again after a burst: 4 MiB.
  connection.run("PRAGMA journal_size_limit = 4194304");
  return SQLITE_OK;
}

int close_open_calls(Connection& connection) {
  const std::string now = rfc3339(std::chrono::system_clock::now());
  auto statement = connection.prepare(
      "UPDATE calls SET state = 3, completed_at = ?1 WHERE state = 0");
  if (!statement) {
    return static_cast<int>(statement.error().details["sqlite"].as_int64());
  }
  statement->bind(1, now);
  return statement->run();
}

// The connection, or a verdict about the file (`unusable` set), or an error.
Result<Connection> try_open(const std::string& file,
                            const config::Journal& settings, Verdict& verdict) {
  auto connection = Connection::open(file, Connection::Access::read_write);
  if (!connection) return connection.error();
  verdict = judge_version(*connection);
  if (verdict.unusable) return std::move(*connection);
  if (verdict.status == SQLITE_OK) {
    const bool is_new = connection->query("PRAGMA user_version") == 0;
    verdict.status = set_up(*connection, settings, is_new);
  }
  if (verdict.status == SQLITE_OK) {
    verdict.status = close_open_calls(*connection);
  }
  if (verdict.status == SQLITE_OK) return std::move(*connection);
  if (is_damage(verdict.status)) verdict.unusable = "corrupt";
  return connection->error("open", verdict.status);
}

}  // namespace

Result<OpenedJournal> open_journal_file(const std::string& file,
                                        const config::Journal& settings) {
  if (auto made = make_folder(file); !made) return made.error();
  auto lock = take_lock(file);
  if (!lock) return lock.error();
  OpenedJournal opened;
  opened.lock = std::move(*lock);
  const char* unusable = nullptr;
  if (access((file + ".damaged").c_str(), F_OK) == 0) unusable = "corrupt";
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (unusable) {
      auto moved = set_aside(file, unusable);
      if (!moved) return moved.error();
      opened.set_aside = std::move(*moved);
    }
    if (auto ready = prepare_file(file); !ready) return ready.error();
    Verdict verdict;
    {
      auto connection = try_open(file, settings, verdict);
      if (!verdict.unusable) {
        if (!connection) return connection.error();
        opened.writer = std::move(*connection);
        return opened;
      }
    }
    unusable = verdict.unusable;
  }
  return make_error(Code::internal,
                    "a new journal " + file + " is unusable, too",
                    "Check the disk.");
}

void mark_journal_damaged(const std::string& file) {
  const UniqueFd fd(open((file + ".damaged").c_str(),
                         O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

}  // namespace toolhost
