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
#include "gates/journal_schema.hpp"
#include "protocol/clock.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

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

int status_of(const Error& error) {
  const json::value* status = error.details.if_contains("sqlite");
  return status ? status->to_number<int>() : SQLITE_ERROR;
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
    verdict.status = status_of(statement.error());
    return verdict;
  }
  const int status = statement->step();
  if (status != SQLITE_ROW) {
    verdict.status = status;
  } else if (statement->number(0) > kJournalVersion) {
    verdict.unusable = "newer";
  } else if (statement->number(0) == 0 && statement->number(1) > 0) {
    verdict.unusable = "foreign";
  }
  return verdict;
}

Result<void> set_up(Connection& connection, const std::string& file,
                    const config::Journal& settings) {
  const std::int64_t version = connection.query("PRAGMA user_version");
  // A power cut in the middle of this leaves nothing worth keeping, unless
  // every commit has to be safe from then on.
  if (version == 0 && !settings.sync_full) {
    connection.run("PRAGMA synchronous = OFF");
  }
  int status = connection.run("PRAGMA journal_mode = WAL");
  if (status != SQLITE_OK) return connection.error("open", status);
  if (auto done = migrate_journal(connection, file, version); !done) {
    return done.error();
  }
  status = connection.run(settings.sync_full ? "PRAGMA synchronous = FULL"
                                             : "PRAGMA synchronous = NORMAL");
  if (status != SQLITE_OK) return connection.error("open", status);
  // The log shrinks again after a burst: 4 MiB.
  connection.run("PRAGMA journal_size_limit = 4194304");
  return {};
}

int close_open_calls(Connection& connection) {
  const std::string now = rfc3339(std::chrono::system_clock::now());
  auto statement = connection.prepare(
      "UPDATE calls SET state = 3, completed_at = ?1 WHERE state = 0");
  if (!statement) return status_of(statement.error());
  statement->bind(1, now);
  return statement->run();
}

// Questions whose calls neither began nor ended, with what a person said.
int read_open_approvals(Connection& connection,
                        std::vector<JournalApproval>& approvals) {
  auto statement = connection.prepare(
      "SELECT a.approval_id, a.call_id, a.session_id, a.asked_at, a.body, "
      "d.approval_digest, d.decision, d.option_id, d.scope, d.decided_by, "
      "d.decided_at, d.comment FROM approvals a LEFT JOIN decisions d "
      "ON d.approval_id = a.approval_id ORDER BY a.sequence");
  if (!statement) return status_of(statement.error());
  int status = statement->step();
  for (; status == SQLITE_ROW; status = statement->step()) {
    JournalApproval approval;
    approval.approval_id = statement->text(0);
    approval.call_id = statement->text(1);
    approval.session_id = statement->text(2);
    approval.asked_at = statement->text(3);
    approval.body = statement->text(4);
    if (std::string word = statement->text(6); !word.empty()) {
      JournalDecision decision;
      decision.approval_id = approval.approval_id;
      decision.call_id = approval.call_id;
      decision.approval_digest = statement->text(5);
      decision.decision = std::move(word);
      decision.option_id = statement->text(7);
      decision.scope = statement->text(8);
      decision.decided_by = statement->text(9);
      decision.decided_at = statement->text(10);
      decision.comment = statement->text(11);
      approval.decision = std::move(decision);
    }
    approvals.push_back(std::move(approval));
  }
  return status == SQLITE_DONE ? SQLITE_OK : status;
}

// The connection, or a verdict about the file (`unusable` set), or an error.
Result<Connection> try_open(const std::string& file,
                            const config::Journal& settings, Verdict& verdict,
                            std::vector<JournalApproval>& approvals) {
  auto connection = Connection::open(file, Connection::Access::read_write);
  if (!connection) return connection.error();
  verdict = judge_version(*connection);
  if (verdict.unusable) return std::move(*connection);
  if (verdict.status == SQLITE_OK) {
    if (auto ready = set_up(*connection, file, settings); !ready) {
      verdict.status = status_of(ready.error());
      if (is_damage(verdict.status)) verdict.unusable = "corrupt";
      return ready.error();
    }
    verdict.status = close_open_calls(*connection);
  }
  if (verdict.status == SQLITE_OK) {
    verdict.status = read_open_approvals(*connection, approvals);
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
      opened.approvals.clear();
      auto connection = try_open(file, settings, verdict, opened.approvals);
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
