// What is handed to the journal's writer, and the SQL that stores it.
//
// Writer thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "config/config.hpp"
#include "gates/journal.hpp"
#include "gates/journal_sqlite.hpp"

namespace toolhost {

struct JournalCompletion {
  std::string call_id;
  JournalState state = JournalState::completed;
  std::string completed_at;
  std::string result;
};

// The call is over: nothing of it waits for a person.
struct JournalClosing {
  std::string call_id;
};

// Nothing to store: only asks for an answer when all before it is on disk.
struct JournalFlush {};

// A completion is shared with the loop, which answers look-ups from it until
// it is on disk: results are large.
using JournalEntry =
    std::variant<JournalFlush, JournalCall,
                 std::shared_ptr<const JournalCompletion>, JournalDecision,
                 AuditRecord, JournalApproval, JournalClosing>;

// Bytes that an entry keeps in memory, roughly.
std::size_t size_of(const JournalEntry& entry);

// Prepared statements over the writer's connection, which it owns.
class JournalTables {
 public:
  // Live pages beyond this are freed by giving up the oldest results: such a
  // call is known to have ended and does not run again, its result is empty.
  static constexpr std::int64_t kMaxBytes = 512LL << 20;
  // Audit records and decisions kept, per kept call.
  static constexpr std::int64_t kRecordsPerCall = 10;

  static Result<JournalTables> prepare(Connection connection,
                                       const config::Journal& settings);

  // SQLITE_OK or an error. The transaction is the caller's.
  int store(const JournalEntry& entry);

  // Removes a bounded number of what is over the limits; running calls stay.
  // True: there is more to do.
  bool trim();

  Connection& connection() { return connection_; }

 private:
  int insert(const JournalCall& call);
  int finish(const JournalCompletion& completion);
  int insert(const JournalDecision& decision);
  int insert(const AuditRecord& record);
  int insert(const JournalApproval& approval);
  int close_approvals(const std::string& call_id);
  std::int64_t live_bytes();

  Connection connection_;  // declared first: statements go before it
  config::Journal settings_;
  Statement insert_call_;
  Statement finish_call_;
  Statement insert_decision_;
  Statement insert_audit_;
  Statement insert_approval_;
  Statement close_approval_;
  Statement close_approvals_;
  Statement trim_count_;
  Statement trim_age_;
  Statement trim_results_;
  Statement trim_decisions_;
  Statement trim_audit_;
};

}  // namespace toolhost
