#include "gates/journal_records.hpp"

#include <sqlite3.h>

#include "protocol/clock.hpp"

namespace toolhost {
namespace {

constexpr const char* kInsertCall =
    "INSERT INTO calls (call_id, session_id, idempotency_key, tool, "
    "arguments_digest, state, started_at, completed_at, result) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
// Only a running call ends: a late word about an `unknown` one, too, because
// the daemon that says it has seen the end.
constexpr const char* kFinishCall =
    "UPDATE calls SET state = ?2, completed_at = ?3, result = ?4 "
    "WHERE call_id = ?1 AND state IN (0, 3)";
constexpr const char* kInsertDecision =
    "INSERT INTO decisions (approval_id, call_id, approval_digest, decision, "
    "option_id, scope, decided_by, decided_at, comment) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr const char* kInsertAudit =
    "INSERT INTO audit (time, call_id, session_id, kind, body) "
    "VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr const char* kInsertApproval =
    "INSERT INTO approvals (approval_id, call_id, session_id, asked_at, body) "
    "VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr const char* kCloseApproval =
    "DELETE FROM approvals WHERE approval_id = ?1";
constexpr const char* kCloseApprovals =
    "DELETE FROM approvals WHERE call_id = ?1";

// Each trim looks at a bounded number of the oldest rows.
constexpr const char* kTrimCount =
    "DELETE FROM calls WHERE sequence IN (SELECT sequence FROM calls "
    "WHERE state <> 0 AND sequence <= (SELECT sequence FROM calls "
    "ORDER BY sequence DESC LIMIT 1 OFFSET ?1) ORDER BY sequence LIMIT 1000)";
constexpr const char* kTrimAge =
    "DELETE FROM calls WHERE sequence IN (SELECT sequence FROM "
    "(SELECT sequence, state, completed_at FROM calls ORDER BY sequence "
    "LIMIT 1000) WHERE state <> 0 AND completed_at <> '' "
    "AND completed_at < ?1)";
constexpr const char* kTrimResults =
    "UPDATE calls SET result = x'' WHERE sequence IN "
    "(SELECT sequence FROM calls WHERE state IN (1, 2) AND length(result) > 0 "
    "ORDER BY sequence LIMIT 100)";
constexpr const char* kTrimDecisions =
    "DELETE FROM decisions WHERE sequence IN (SELECT sequence FROM decisions "
    "WHERE sequence <= (SELECT max(sequence) FROM decisions) - ?1 "
    "ORDER BY sequence LIMIT 1000)";
constexpr const char* kTrimAudit =
    "DELETE FROM audit WHERE sequence IN (SELECT sequence FROM audit "
    "WHERE sequence <= (SELECT max(sequence) FROM audit) - ?1 "
    "ORDER BY sequence LIMIT 1000)";
constexpr int kTrimStep = 1000;

}  // namespace

std::size_t size_of(const JournalEntry& entry) {
  constexpr std::size_t kFixed = 256;
  if (const auto* call = std::get_if<JournalCall>(&entry)) {
    return kFixed + call->result.size() + call->idempotency_key.size();
  }
  if (const auto* end =
          std::get_if<std::shared_ptr<const JournalCompletion>>(&entry)) {
    return kFixed + (*end)->result.size();
  }
  if (const auto* decision = std::get_if<JournalDecision>(&entry)) {
    return kFixed + decision->decided_by.size() + decision->comment.size();
  }
  if (const auto* record = std::get_if<AuditRecord>(&entry)) {
    return kFixed + record->body.size();
  }
  if (const auto* approval = std::get_if<JournalApproval>(&entry)) {
    return kFixed + approval->body.size();
  }
  return kFixed;
}

Result<JournalTables> JournalTables::prepare(Connection connection,
                                             const config::Journal& settings) {
  JournalTables tables;
  tables.connection_ = std::move(connection);
  tables.settings_ = settings;
  const std::pair<Statement*, const char*> statements[] = {
      {&tables.insert_call_, kInsertCall},
      {&tables.finish_call_, kFinishCall},
      {&tables.insert_decision_, kInsertDecision},
      {&tables.insert_audit_, kInsertAudit},
      {&tables.insert_approval_, kInsertApproval},
      {&tables.close_approval_, kCloseApproval},
      {&tables.close_approvals_, kCloseApprovals},
      {&tables.trim_count_, kTrimCount},
      {&tables.trim_age_, kTrimAge},
      {&tables.trim_results_, kTrimResults},
      {&tables.trim_decisions_, kTrimDecisions},
      {&tables.trim_audit_, kTrimAudit},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = tables.connection_.prepare(sql);
    if (!prepared) return prepared.error();
    *statement = std::move(*prepared);
  }
  return tables;
}

int JournalTables::store(const JournalEntry& entry) {
  if (const auto* call = std::get_if<JournalCall>(&entry)) {
    return insert(*call);
  }
  if (const auto* end =
          std::get_if<std::shared_ptr<const JournalCompletion>>(&entry)) {
    return finish(**end);
  }
  if (const auto* decision = std::get_if<JournalDecision>(&entry)) {
    return insert(*decision);
  }
  if (const auto* record = std::get_if<AuditRecord>(&entry)) {
    return insert(*record);
  }
  if (const auto* approval = std::get_if<JournalApproval>(&entry)) {
    return insert(*approval);
  }
  if (const auto* closing = std::get_if<JournalClosing>(&entry)) {
    return close_approvals(closing->call_id);
  }
  return SQLITE_OK;
}

int JournalTables::insert(const JournalCall& call) {
  Statement& statement = insert_call_;
  statement.bind(1, call.call_id);
  statement.bind(2, call.session_id);
  statement.bind(3, call.idempotency_key);
  statement.bind(4, call.tool);
  statement.bind(5, call.arguments_digest);
  statement.bind(6, static_cast<std::int64_t>(call.state));
  statement.bind(7, call.started_at);
  statement.bind(8, call.completed_at);
  statement.bind_blob(9, call.result);
  const int inserted = statement.run();
  return inserted == SQLITE_OK ? close_approvals(call.call_id) : inserted;
}

int JournalTables::finish(const JournalCompletion& completion) {
  Statement& statement = finish_call_;
  statement.bind(1, completion.call_id);
  statement.bind(2, static_cast<std::int64_t>(completion.state));
  statement.bind(3, completion.completed_at);
  statement.bind_blob(4, completion.result);
  return statement.run();
}

int JournalTables::insert(const JournalDecision& decision) {
  Statement& statement = insert_decision_;
  int at = 0;
  for (const std::string* field :
       {&decision.approval_id, &decision.call_id, &decision.approval_digest,
        &decision.decision, &decision.option_id, &decision.scope,
        &decision.decided_by, &decision.decided_at, &decision.comment}) {
    statement.bind(++at, *field);
  }
  const int inserted = statement.run();
  const bool by_a_person =
      decision.decision == "allow" || decision.decision == "deny";
  if (inserted != SQLITE_OK || by_a_person) return inserted;
  close_approval_.bind(1, decision.approval_id);
  return close_approval_.run();
}

int JournalTables::insert(const JournalApproval& approval) {
  Statement& statement = insert_approval_;
  int at = 0;
  for (const std::string* field :
       {&approval.approval_id, &approval.call_id, &approval.session_id,
        &approval.asked_at, &approval.body}) {
    statement.bind(++at, *field);
  }
  return statement.run();
}

int JournalTables::close_approvals(const std::string& call_id) {
  close_approvals_.bind(1, call_id);
  return close_approvals_.run();
}

int JournalTables::insert(const AuditRecord& record) {
  Statement& statement = insert_audit_;
  int at = 0;
  for (const std::string* field :
       {&record.time, &record.call_id, &record.session_id, &record.kind,
        &record.body}) {
    statement.bind(++at, *field);
  }
  return statement.run();
}

std::int64_t JournalTables::live_bytes() {
  const std::int64_t pages = connection_.query("PRAGMA page_count") -
                             connection_.query("PRAGMA freelist_count");
  return pages * connection_.query("PRAGMA page_size");
}

bool JournalTables::trim() {
  bool more = false;
  const auto run = [&](Statement& statement, int step) {
    if (statement.run() != SQLITE_OK) return;
    more = more || connection_.changes() >= step;
  };
  trim_count_.bind(1, std::int64_t{settings_.keep_calls});
  run(trim_count_, kTrimStep);
  const std::string oldest =
      rfc3339(std::chrono::system_clock::now() - settings_.keep_for);
  trim_age_.bind(1, oldest);
  run(trim_age_, kTrimStep);
  const std::int64_t records = settings_.keep_calls * kRecordsPerCall;
  trim_decisions_.bind(1, records);
  run(trim_decisions_, kTrimStep);
  trim_audit_.bind(1, records);
  run(trim_audit_, kTrimStep);
  if (live_bytes() > kMaxBytes) run(trim_results_, 1);
  return more;
}

}  // namespace toolhost
