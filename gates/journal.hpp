// Journal: the durable ledger of calls, decisions and audit records.
//
// SQLite (WAL) behind one writer thread with group commit: the loop hands over
// a record and goes on; what has to be durable first is awaited. Commits
// survive kill -9. Reads run on their own connection and never wait for a
// write. A journal that cannot be written says so: the caller decides (an
// effect does not happen without its record, a decision becomes a denial).
//
// Loop thread only; the writer thread is inside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "protocol/error.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

// started → completed | failed | unknown. Found `started` at open: unknown.
enum class JournalState { started, completed, failed, unknown };

struct JournalCall {
  std::string call_id;
  std::string session_id;
  // Empty when the caller gave none; unique per (session_id, key).
  std::string idempotency_key;
  std::string tool;
  std::string arguments_digest;
  JournalState state = JournalState::started;
  std::string started_at;    // RFC 3339
  std::string completed_at;  // empty while started
  // The result as JSON text, for replay; empty unless completed or failed, and
  // empty as well when there was no room to keep it.
  std::string result;
};

struct JournalDecision {
  std::string approval_id;
  std::string call_id;
  std::string approval_digest;
  std::string decision;  // allow, deny, expired, withdrawn
  std::string option_id;
  std::string scope;
  std::string decided_by;  // JSON text
  std::string decided_at;
  std::string comment;
};

// A question on its way to a person. Written before anybody sees it, gone when
// its call begins or is over: what is left at a start was waiting when the
// daemon was killed.
struct JournalApproval {
  std::string approval_id;
  std::string call_id;
  std::string session_id;
  std::string asked_at;  // RFC 3339
  // The call and the question as JSON text (approval_restore.hpp); holds the
  // arguments as they came, so it stays in the journal's 0600 file.
  std::string body;
  // At a start: what a person said of it before the kill.
  std::optional<JournalDecision> decision;
};

// Who asked, what ran, who decided, under which rule: one per call and one per
// decision.
struct AuditRecord {
  std::int64_t sequence = 0;  // set by the journal, rises
  std::string time;
  std::string call_id;
  std::string session_id;
  std::string kind;  // call, decision, rule, config
  std::string body;  // JSON text of an object
};

class Journal {
 public:
  // Opens or creates `file` (0600). A corrupt or newer database is set aside
  // (renamed with a time stamp) and a new one made; `set_aside` then names it.
  static Result<std::unique_ptr<Journal>> open(asio::io_context& loop,
                                               const std::string& file,
                                               config::Journal settings);
  virtual ~Journal() = default;  // flushes

  virtual const std::string& set_aside() const = 0;

  // The questions that an earlier life of the daemon left, oldest first. The
  // first time only: afterwards there are none.
  virtual std::vector<JournalApproval> take_open_approvals() = 0;

  // Durable when it returns. A call that begins has no open question.
  virtual Task<Result<void>> begin(JournalCall call) = 0;
  virtual Task<Result<void>> ask(JournalApproval approval) = 0;
  // Allow and deny stay with their question until its call goes on; what the
  // clock or the daemon decided closes it.
  virtual Task<Result<void>> decide(JournalDecision decision) = 0;

  // Handed over; on disk a moment later. For calls without an effect to
  // protect, and for what happened already.
  virtual void begin_soon(JournalCall call) = 0;
  // The call is over and did not begin.
  virtual void close_approvals(std::string call_id) = 0;
  virtual void complete(std::string call_id, JournalState state,
                        std::string completed_at, std::string result) = 0;
  virtual void audit(AuditRecord record) = 0;

  virtual Task<Result<std::optional<JournalCall>>> find_call(
      std::string call_id) = 0;
  // The newest call of this session with this key.
  virtual Task<Result<std::optional<JournalCall>>> find(
      std::string session_id, std::string idempotency_key) = 0;
  virtual Task<Result<std::vector<AuditRecord>>> read_audit(
      std::int64_t after_sequence, std::string call_id, std::string since_time,
      int limit) = 0;

  // Returns when everything handed over so far is on disk.
  virtual Task<Result<void>> flush() = 0;
  // Empty while writing works; else what the system said, for status.
  virtual std::string trouble() const = 0;
};

}  // namespace toolhost
