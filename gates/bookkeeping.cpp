// Asks: nothing; writes down what happened.
// Refuses: nothing.
// Adds: the journal's end of the call, an audit record, call/completed.
// Why here: the call is over, its result final; the reply goes out after this.
#include "gates/gates.hpp"
#include "gates/scrub/scrub_json.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::gates {
namespace {

// Results over this are not kept for replay; the replay says so.
constexpr std::size_t kKeptResult = 4U << 20;

bool was_started(const Call& call) { return call.trace.size() > 15; }

JournalState journal_state(const Call& call) {
  // A hook that failed afterwards does not undo what the tool did.
  switch (call.tool_state.value_or(call.state)) {
    case CallState::completed:
      return JournalState::completed;
    case CallState::timed_out:
    case CallState::cancelled:
    case CallState::unknown:
      // It was stopped in the middle: nobody knows how far it came.
      return JournalState::unknown;
    default:
      return JournalState::failed;
  }
}

// For a caller that comes back: with its key, or for what it left running.
std::string kept_result(const Call& call) {
  const bool wanted = !call.idempotency_key.empty() || call.stays;
  if (!wanted || call.result_text->size() > kKeptResult) return {};
  return *call.result_text;
}

// A person said no: a retry is told the same, and nobody is asked again.
void keep_denial(const Call& call, Parts& parts, const std::string& now) {
  JournalCall row;
  row.call_id = call.id;
  row.session_id = call.session->id;
  row.idempotency_key = call.idempotency_key;
  row.tool = call.tool_name;
  row.arguments_digest = call.arguments_digest;
  row.state = JournalState::failed;
  row.started_at = now;
  row.completed_at = now;
  row.result = kept_result(call);
  parts.journal.begin_soon(std::move(row));
}

void close_journal(const Call& call, Parts& parts, const std::string& now) {
  const bool reading = call.tool->tool.pure_read;
  if (reading && call.idempotency_key.empty()) return;
  std::string kept = kept_result(call);
  JournalState state = journal_state(call);
  // Stopping a read leaves no doubt about effects.
  if (reading && state == JournalState::unknown) state = JournalState::failed;
  parts.journal.complete(call.id, state, now, std::move(kept));
}

// `body` is the call's summary.
void audit(const Call& call, Parts& parts, const std::string& now,
           json::object body) {
  body["argumentsDigest"] = call.arguments_digest;
  if (!call.idempotency_key.empty()) body["replayed"] = call.replayed;
  if (!call.rules.empty()) {
    json::array rules;
    for (const std::string& id : call.rules) rules.emplace_back(id);
    body["rules"] = std::move(rules);
  }
  if (call.approval) {
    json::object note;
    note["approvalId"] = call.approval->approval_id;
    note["decision"] = call.approval->decision;
    note["scope"] = call.approval->scope;
    note["decidedBy"] = call.approval->decided_by;
    body["approval"] = std::move(note);
  }
  AuditRecord record;
  record.time = now;
  record.call_id = call.id;
  record.session_id = call.session->id;
  record.kind = "call";
  scrub(body, Scrub::names_and_shapes);
  record.body = json_text(body);
  parts.journal.audit(std::move(record));
}

}  // namespace

void bookkeeping(Call& call, Parts& parts) {
  const std::string now = rfc3339(parts.clock.wall());
  if (was_started(call) && !call.replayed) close_journal(call, parts, now);
  const bool may_be_retried = !call.idempotency_key.empty() || call.stays;
  if (call.state == CallState::denied && may_be_retried) {
    keep_denial(call, parts, now);
  }
  if (call.asked) parts.journal.close_approvals(call.id);
  json::object summed = summary(call);
  audit(call, parts, now, summed);
  Event event;
  event.topic = Topic::calls;
  event.method = "call/completed";
  event.body["call"] = std::move(summed);
  event.session = call.session->id;
  event.workspace = call.policy.roots.empty() ? "" : call.policy.roots.front();
  event.call = call.id;
  parts.events.publish(std::move(event));
}

}  // namespace toolhost::gates
