// SQLite for the journal: a connection and prepared statements, with errors
// that say what was tried, on which file, and what the system said.
//
// A connection is used by one thread at a time (SQLITE_OPEN_NOMUTEX).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace toolhost {

class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  // Parameters count from 1. Texts have to live until the step.
  void bind(int at, std::string_view text);
  void bind(int at, std::int64_t number);
  void bind_blob(int at, std::string_view bytes);
  // SQLITE_ROW, SQLITE_DONE or an error.
  int step();
  // Runs to the end and resets; SQLITE_OK or an error.
  int run();
  void reset();

  std::string text(int column) const;
  std::int64_t number(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Connection {
 public:
  enum class Access { read_write, read_only };

  Connection() = default;
  // Opens an existing file; nothing is read yet. Waits at most a second for
  // another process's lock.
  static Result<Connection> open(const std::string& file, Access access);

  // Runs SQL that gives no rows; SQLITE_OK or the error.
  int run(const char* sql);
  Result<Statement> prepare(const char* sql);
  // The first column of the first row; `otherwise` if there is none.
  std::int64_t query(const char* sql, std::int64_t otherwise = 0);
  int changes() const;
  // What SQLite says about the last failure; for picking its reason.
  std::string message() const;
  bool in_transaction() const;

  // "cannot WHAT FILE: database or disk is full (No space left on device)".
  Error error(std::string_view what, int status) const;
  explicit operator bool() const { return database_ != nullptr; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
};

// The file itself is bad: it has to be set aside.
bool is_damage(int status);
// The record itself is bad: trying again does not help, others are fine.
bool is_records_fault(int status);

}  // namespace toolhost
