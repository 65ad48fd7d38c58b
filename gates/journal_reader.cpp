#include "gates/journal_reader.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "gates/journal_open.hpp"

namespace toolhost {
namespace {

constexpr const char* kFind =
    "SELECT call_id, session_id, idempotency_key, tool, arguments_digest, "
    "state, started_at, completed_at, result FROM calls "
    "WHERE session_id = ?1 AND idempotency_key = ?2 AND idempotency_key <> '' "
    "ORDER BY sequence DESC LIMIT 1";
constexpr const char* kFindCall =
    "SELECT call_id, session_id, idempotency_key, tool, arguments_digest, "
    "state, started_at, completed_at, result FROM calls WHERE call_id = ?1";
constexpr const char* kAudit =
    "SELECT sequence, time, call_id, session_id, kind, body FROM audit "
    "WHERE sequence > ?1 AND time >= ?2 ORDER BY sequence LIMIT ?3";
constexpr const char* kAuditOfCall =
    "SELECT sequence, time, call_id, session_id, kind, body FROM audit "
    "WHERE call_id = ?4 AND call_id <> '' AND sequence > ?1 AND time >= ?2 "
    "ORDER BY sequence LIMIT ?3";

JournalCall read_call(const Statement& row) {
  JournalCall call;
  call.call_id = row.text(0);
  call.session_id = row.text(1);
  call.idempotency_key = row.text(2);
  call.tool = row.text(3);
  call.arguments_digest = row.text(4);
  call.state = static_cast<JournalState>(std::clamp<std::int64_t>(
      row.number(5), 0, static_cast<std::int64_t>(JournalState::unknown)));
  call.started_at = row.text(6);
  call.completed_at = row.text(7);
  call.result = row.text(8);
  return call;
}

AuditRecord read_record(const Statement& row) {
  AuditRecord record;
  record.sequence = row.number(0);
  record.time = row.text(1);
  record.call_id = row.text(2);
  record.session_id = row.text(3);
  record.kind = row.text(4);
  record.body = row.text(5);
  return record;
}

}  // namespace

Result<void> JournalReader::open() {
  if (connection_) return {};
  auto connection = Connection::open(file_, Connection::Access::read_only);
  if (!connection) return connection.error();
  const std::pair<Statement*, const char*> statements[] = {
      {&find_, kFind},
      {&find_call_, kFindCall},
      {&audit_, kAudit},
      {&audit_of_call_, kAuditOfCall}};
  for (const auto& [statement, sql] : statements) {
    auto prepared = connection->prepare(sql);
    if (!prepared) return prepared.error();
    *statement = std::move(*prepared);
  }
  connection_ = std::move(*connection);
  return {};
}

Error JournalReader::failed(int status) {
  if (is_damage(status)) mark_journal_damaged(file_);
  return connection_.error("read", status);
}

Result<std::optional<JournalCall>> JournalReader::find(
    const std::string& session_id, const std::string& key) {
  if (auto opened = open(); !opened) return opened.error();
  find_.bind(1, session_id);
  find_.bind(2, key);
  return one_call(find_);
}

Result<std::optional<JournalCall>> JournalReader::find_call(
    const std::string& call_id) {
  if (auto opened = open(); !opened) return opened.error();
  find_call_.bind(1, call_id);
  return one_call(find_call_);
}

Result<std::optional<JournalCall>> JournalReader::one_call(
    Statement& statement) {
  const int status = statement.step();
  std::optional<JournalCall> call;
  if (status == SQLITE_ROW) call = read_call(statement);
  statement.reset();
  if (status != SQLITE_ROW && status != SQLITE_DONE) return failed(status);
  return call;
}

Result<std::vector<AuditRecord>> JournalReader::read_audit(
    std::int64_t after_sequence, const std::string& call_id,
    const std::string& since_time, int limit) {
  if (auto opened = open(); !opened) return opened.error();
  Statement& statement = call_id.empty() ? audit_ : audit_of_call_;
  statement.bind(1, after_sequence);
  statement.bind(2, since_time);
  statement.bind(3, std::int64_t{std::clamp(limit, 1, kMaxAuditRecords)});
  if (!call_id.empty()) statement.bind(4, call_id);
  std::vector<AuditRecord> records;
  int status = statement.step();
  for (; status == SQLITE_ROW; status = statement.step()) {
    records.push_back(read_record(statement));
  }
  statement.reset();
  if (status != SQLITE_DONE) return failed(status);
  return records;
}

}  // namespace toolhost
