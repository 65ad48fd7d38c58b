#include "daemon/restore_calls.hpp"

#include "gates/approval_restore.hpp"
#include "gates/session_store.hpp"
#include "protocol/json_text.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// A damaged journal says that somebody or something wrote our files: what a
// person allowed for good has to be allowed again.
void forget_allows(Daemon& daemon) {
  std::size_t count = 0;
  for (const Rule& rule : daemon.rules.list()) {
    const bool configured = rule.id.starts_with("config:");
    if (configured || rule.action != RuleAction::allow) continue;
    if (auto removed = daemon.rules.remove(rule.id); !removed) {
      log_error("a remembered rule could not be removed: " +
                removed.error().message);
      continue;
    }
    ++count;
  }
  if (count == 0) return;
  daemon.save_sessions();
  log_warn(
      "the journal was damaged: remembered allows were removed, with it; "
      "count=" +
      std::to_string(count));
}

// The session as it is now, or as it was if it was implicit.
SessionPtr session_of(Daemon& daemon, RestoredCall& restored) {
  const std::string id = restored.call->restored->question.session_id;
  SessionPtr session = daemon.sessions.find(id);
  if (!session && restored.session && restored.session->id == id) {
    session = std::move(restored.session);
    daemon.sessions.restore(session);
    daemon.implicit_sessions.restore(session);
  }
  if (!session) return nullptr;
  session->callers.insert(restored.callers.begin(), restored.callers.end());
  if (daemon.journal->set_aside().empty()) {
    restore_rules(id, &restored.rules, daemon.rules);
  }
  return session;
}

void give_up(Daemon& daemon, const JournalApproval& row,
             const std::string& why) {
  log_warn("a question is lost: " + why + " approval=" + row.approval_id +
           " call=" + row.call_id);
  daemon.journal->close_approvals(row.call_id);
  AuditRecord record;
  record.time = rfc3339(daemon.clock.wall());
  record.call_id = row.call_id;
  record.session_id = row.session_id;
  record.kind = "decision";
  json::object body;
  body["approvalId"] = row.approval_id;
  body["decision"] = "withdrawn";
  body["decidedBy"] = json::object{{"restart", why}};
  record.body = json_text(body);
  daemon.journal->audit(std::move(record));
}

void restore(Daemon& daemon, const JournalApproval& row) {
  auto restored = restore_call(row, daemon.clock);
  if (!restored) return give_up(daemon, row, restored.error().message);
  const SessionPtr session = session_of(daemon, *restored);
  if (!session) return give_up(daemon, row, "its session is closed.");
  const std::shared_ptr<Call> call = restored->call;
  const ApprovalPtr approval = call->restored;
  call->session = session;
  approval->session = session;
  daemon.approvals.restore(approval);
  daemon.calls.restore(call, daemon.config->approvals.disconnect_grace);
}

}  // namespace

void restore_calls(Daemon& daemon) {
  const Result<void> loaded =
      daemon.session_store.load(daemon.sessions, daemon.rules);
  if (!loaded) {
    log_error("earlier sessions are lost: " + loaded.error().message);
  }
  if (!daemon.journal->set_aside().empty()) forget_allows(daemon);
  std::vector<JournalApproval> open = daemon.journal->take_open_approvals();
  // Of a call with two questions (its workspace, itself) the newer one counts.
  std::map<std::string, std::size_t> newest;
  for (std::size_t at = 0; at < open.size(); ++at)
    newest[open[at].call_id] = at;
  for (std::size_t at = 0; at < open.size(); ++at) {
    if (newest[open[at].call_id] == at) restore(daemon, open[at]);
  }
  if (!newest.empty()) {
    log_info("questions of an earlier life count=" +
             std::to_string(newest.size()));
  }
}

}  // namespace toolhost
