#include "gates/journal_sqlite.hpp"

#include <sqlite3.h>

#include <cstring>
#include <filesystem>

namespace toolhost {
namespace {

// Somebody's backup or a shell holds the file no longer than that, or it is
// an error that a person has to see.
constexpr int kBusyMilliseconds = 1000;

int primary(int status) { return status & 0xFF; }

std::string hint_for(int status, const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  switch (primary(status)) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return "Free space in " + folder + "; writing goes on by itself.";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "Close the program that holds the file.";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return "Make " + folder + " and the file writable for this user.";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "Restart the daemon: it sets the file aside and begins anew.";
    default:
      return {};
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::bind(int at, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), at, text.data() ? text.data() : "",
                      text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int at, std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), at, number);
}

void Statement::bind_blob(int at, std::string_view bytes) {
  sqlite3_bind_blob64(statement_.get(), at, bytes.data() ? bytes.data() : "",
                      bytes.size(), SQLITE_STATIC);
}

int Statement::step() { return sqlite3_step(statement_.get()); }

int Statement::run() {
  int status = sqlite3_step(statement_.get());
  while (status == SQLITE_ROW) status = sqlite3_step(statement_.get());
  reset();
  return status == SQLITE_DONE ? SQLITE_OK : status;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::string Statement::text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (!bytes || size <= 0) return {};
  return std::string(static_cast<const char*>(bytes),
                     static_cast<std::size_t>(size));
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

void Connection::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Result<Connection> Connection::open(const std::string& file, Access access) {
  const int mode = access == Access::read_only ? SQLITE_OPEN_READONLY
                                               : SQLITE_OPEN_READWRITE;
  sqlite3* raw = nullptr;
  const int status = sqlite3_open_v2(
      file.c_str(), &raw, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  Connection connection;
  connection.file_ = file;
  connection.database_.reset(raw);
  if (status != SQLITE_OK) return connection.error("open", status);
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
  // Small: the journal is written in order and hardly read. In KiB.
  connection.run("PRAGMA cache_size = -256; PRAGMA mmap_size = 0;");
  return connection;
}

int Connection::run(const char* sql) {
  return sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
}

Result<Statement> Connection::prepare(const char* sql) {
  sqlite3_stmt* raw = nullptr;
  const int status = sqlite3_prepare_v3(
      database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (status != SQLITE_OK) return error("use", status);
  return Statement(raw);
}

std::int64_t Connection::query(const char* sql, std::int64_t otherwise) {
  auto statement = prepare(sql);
  if (!statement || statement->step() != SQLITE_ROW) return otherwise;
  return statement->number(0);
}

int Connection::changes() const { return sqlite3_changes(database_.get()); }

std::string Connection::message() const {
  return sqlite3_errmsg(database_.get());
}

bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

Error Connection::error(std::string_view what, int status) const {
  std::string text = "cannot " + std::string(what) + " the journal " + file_ +
                     ": " + sqlite3_errstr(status);
  const int number = database_ ? sqlite3_system_errno(database_.get()) : 0;
  const bool of_the_system = primary(status) == SQLITE_IOERR ||
                             primary(status) == SQLITE_FULL ||
                             primary(status) == SQLITE_CANTOPEN;
  if (of_the_system && number != 0) {
    text += std::string(" (") + std::strerror(number) + ")";
  }
  Error out =
      make_error(Code::internal, std::move(text), hint_for(status, file_));
  out.details["sqlite"] = status;
  return out;
}

bool is_damage(int status) {
  return primary(status) == SQLITE_CORRUPT || primary(status) == SQLITE_NOTADB;
}

bool is_records_fault(int status) {
  return primary(status) == SQLITE_CONSTRAINT ||
         primary(status) == SQLITE_TOOBIG || primary(status) == SQLITE_RANGE ||
         primary(status) == SQLITE_MISMATCH;
}

}  // namespace toolhost
