#include "gates/approval_queue.hpp"

#include <algorithm>
#include <array>

#include "gates/approval_restore.hpp"
#include "gates/fault_point.hpp"
#include "gates/scrub/scrub_json.hpp"
#include "protocol/ids.hpp"
#include "protocol/json_text.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

json::object by_daemon(std::string_view word, std::string_view why) {
  json::object out;
  out[word] = why;
  return out;
}

JournalDecision journal_row(const Approval& approval) {
  const Decision& decision = *approval.decision;
  JournalDecision row;
  row.approval_id = approval.id;
  row.call_id = approval.question.call_id;
  row.approval_digest = approval.question.digest;
  row.decision = name(decision.kind);
  row.option_id = decision.option_id;
  row.scope = name(decision.scope);
  row.decided_by = json_text(decision.decided_by);
  row.decided_at = decision.decided_at;
  row.comment = decision.comment;
  return row;
}

}  // namespace

ApprovalQueue::ApprovalQueue(asio::io_context& loop, const Clock& clock,
                             Journal& journal, RuleStore& rules,
                             EventSink& events, config::Approvals settings)
    : loop_(loop),
      clock_(clock),
      journal_(journal),
      rules_(rules),
      events_(events),
      settings_(settings) {}

SteadyTime ApprovalQueue::deadline_for(const Approval& approval) const {
  const SteadyTime now = clock_.steady();
  const auto limit = [](SteadyTime from, Milliseconds time) {
    return time.count() == 0 ? SteadyTime::max() : from + time;
  };
  SteadyTime deadline = limit(approval.created, settings_.timeout);
  if (!attended_) {
    deadline = std::min(deadline, limit(now, settings_.unattended_timeout));
  }
  if (approval.question.timeout) {
    deadline =
        std::min(deadline, approval.created + *approval.question.timeout);
  }
  return std::max(deadline, approval.expires_not_before);
}

std::optional<CallError> ApprovalQueue::too_many(
    const std::string& session) const {
  const auto in_session =
      std::count_if(pending_.begin(), pending_.end(), [&](const auto& row) {
        return row.second->approval->question.session_id == session;
      });
  if (pending_.size() < static_cast<std::size_t>(settings_.max_pending) &&
      in_session < settings_.max_pending_per_session) {
    return std::nullopt;
  }
  return make_call_error(
      CallErrorKind::too_many_approvals,
      std::to_string(pending_.size()) + " calls wait for a person already.",
      "Wait until some are answered; nothing was run.");
}

// No coroutine itself: its frame would keep the question a second time.
Task<Outcome<ApprovalPtr>> ApprovalQueue::ask(Question question,
                                              SessionPtr session, Stop& stop) {
  auto approval = std::make_shared<Approval>();
  approval->id = random_id("appr_");
  approval->question = std::move(question);
  approval->session = std::move(session);
  return wait_for_answer(std::move(approval), stop);
}

Task<Outcome<ApprovalPtr>> ApprovalQueue::wait_for_answer(ApprovalPtr approval,
                                                          Stop& stop) {
  if (auto no = too_many(approval->question.session_id)) co_return *no;
  if (stop.requested()) {
    co_return make_call_error(CallErrorKind::cancelled, stop.reason(),
                              "Nothing was run.");
  }
  approval->created = clock_.steady();
  approval->created_at = rfc3339(clock_.wall());
  approval->deadline = deadline_for(*approval);
  find_suspicious(*approval);
  const EntryPtr entry = std::make_shared<Entry>(loop_, approval);
  pending_.emplace(approval->id, entry);
  const Result<void> recorded = co_await publish(entry);
  if (!recorded) {
    pending_.erase(approval->id);
    deciding_.erase(approval->id);
    co_return make_call_error(
        CallErrorKind::internal,
        "Nobody was asked and nothing was run: the question could not be "
        "recorded. " +
            recorded.error().message,
        "Run `toolhost doctor`; the disk may be full.");
  }
  co_await sleep(entry, stop);
  co_return approval;
}

Task<Result<void>> ApprovalQueue::publish(EntryPtr entry) {
  Approval& approval = *entry->approval;
  JournalApproval row =
      journal_row(approval.id, approval.question, clock_.wall());
  Result<void> written = co_await journal_.ask(std::move(row));
  if (!written) co_return written;
  fault_point("approval", "recorded");
  // Withdrawn meanwhile: nobody has to hear of it.
  if (entry->approval->decision) co_return written;
  entry->published = true;
  events_.publish(event_of(approval, "approval/requested", clock_));
  fault_point("approval", "published");
  co_return written;
}

Task<void> ApprovalQueue::sleep(EntryPtr entry, Stop& stop) {
  const ApprovalPtr approval = entry->approval;
  const std::string id = approval->id;
  const auto withdraw_on_stop =
      stop.on_request([this, id, &stop] { withdraw(id, stop.reason()); });
  bool spared = false;
  while (!entry->decided.ready()) {
    const SteadyTime now = clock_.steady();
    if (now - approval->deadline > kStoodStill && !spared) {
      // Nobody could answer while the daemon stood still: an answer may be in
      // the socket already.
      spared = true;
      approval->deadline = now + kAfterStandstill;
      events_.publish(event_of(*approval, "approval/updated", clock_));
      continue;
    }
    if (now >= approval->deadline) {
      Decision expired;
      expired.kind = Decision::Kind::expired;
      expired.decided_by = by_daemon("clock", "Nobody answered in time.");
      settle(id, std::move(expired));
      // An answer may be on its way to the disk: then that one counts.
      co_await entry->decided.wait();
      break;
    }
    co_await entry->decided.wait_until(approval->deadline);
  }
  if (!entry->recorded) {
    co_await record(entry);
    finish(entry);
  }
}

ApprovalQueue::EntryPtr ApprovalQueue::take(const std::string& id,
                                            Decision decision) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return nullptr;
  EntryPtr entry = found->second;
  pending_.erase(found);
  decision.decided_at = rfc3339(clock_.wall());
  entry->approval->decision = std::move(decision);
  deciding_.emplace(id, entry);
  // Its call has to wake up, to record this.
  if (entry->judging) entry->judging->wanted.set(true);
  return entry;
}

void ApprovalQueue::settle(const std::string& id, Decision decision) {
  if (EntryPtr entry = take(id, std::move(decision))) {
    entry->decided.set(true);
  }
}

Task<void> ApprovalQueue::record(EntryPtr entry) {
  entry->recorded = true;
  fault_point("approval", "taken");
  JournalDecision row = journal_row(*entry->approval);
  const Result<void> written = co_await journal_.decide(std::move(row));
  if (written) {
    fault_point("approval", "decided");
    audit(*entry->approval);
    co_return;
  }
  Decision& decision = *entry->approval->decision;
  log_error("a decision could not be journalled approval=" +
            entry->approval->id + " error=" + written.error().message);
  if (decision.kind != Decision::Kind::allow) co_return;
  // An allow without its record would not survive a crash: it is a no.
  decision.kind = Decision::Kind::deny;
  decision.comment =
      "The decision could not be recorded: " + written.error().message;
  decision.decided_by["journal"] = written.error().message;
}

void ApprovalQueue::audit(const Approval& approval) {
  AuditRecord record;
  record.time = approval.decision->decided_at;
  record.call_id = approval.question.call_id;
  record.session_id = approval.question.session_id;
  record.kind = "decision";
  json::object body = audit_body(approval, clock_);
  scrub(body, Scrub::names_and_shapes);
  record.body = json_text(body);
  journal_.audit(std::move(record));
}

std::string ApprovalQueue::remember(const Approval& approval,
                                    const ApprovalOption& option) {
  const Decision& decision = *approval.decision;
  if (decision.kind != Decision::Kind::allow) return {};
  for (Rule rule : option.rules) {
    const json::value* by = decision.decided_by.if_contains("clientName");
    if (by && by->is_string()) rule.created_by = by->get_string().c_str();
    rule.created_at = decision.decided_at;
    const Result<Rule> kept = rules_.remember(std::move(rule));
    if (!kept) {
      log_warn("a rule could not be remembered error=" + kept.error().message);
      return "Allowed once only; it could not be remembered: " +
             kept.error().message;
    }
    Event event;
    event.topic = Topic::config;
    event.method = "rule/added";
    event.body["rule"] = to_json(*kept);
    event.session = approval.question.session_id;
    events_.publish(std::move(event));
  }
  return {};
}

void ApprovalQueue::finish(const EntryPtr& entry) {
  const ApprovalPtr& approval = entry->approval;
  switch (approval->decision->kind) {
    case Decision::Kind::expired:
      approval->state = "expired";
      break;
    case Decision::Kind::withdrawn:
      // Or what conclude() said.
      if (approval->state == "pending") approval->state = "withdrawn";
      break;
    default:
      approval->state = "resolved";
  }
  deciding_.erase(approval->id);
  // What only the pending question needs goes now, the answer stays.
  approval->question.judge_again = nullptr;
  resolved_.push_back(approval);
  if (resolved_.size() > kResolvedKept) resolved_.pop_front();
  if (entry->published) {
    events_.publish(event_of(*approval, "approval/resolved", clock_));
  }
  entry->decided.set(true);
  if (entry->judging) entry->judging->done.set(true);
}

void ApprovalQueue::withdraw(const std::string& approval_id,
                             const std::string& why) {
  Decision decision;
  decision.kind = Decision::Kind::withdrawn;
  decision.comment = why;
  decision.decided_by = by_daemon("withdrawn", why);
  settle(approval_id, std::move(decision));
}

// Those that are on their way out, too.
void ApprovalQueue::withdraw_session(const std::string& session,
                                     const std::string& why) {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : pending_) {
    if (entry->approval->question.session_id == session) ids.push_back(id);
  }
  for (const std::string& id : ids) withdraw(id, why);
}

void ApprovalQueue::withdraw_all(const std::string& why) {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : pending_) ids.push_back(id);
  for (const std::string& id : ids) withdraw(id, why);
}

void ApprovalQueue::judge_again() {
  for (const ApprovalPtr& approval : pending()) {
    if (!approval->question.judge_again) continue;
    if (auto decision = approval->question.judge_again()) {
      settle(approval->id, std::move(*decision));
    }
  }
}

void ApprovalQueue::set_attended(bool attended) {
  if (attended_ == attended) return;
  attended_ = attended;
  for (const auto& [id, entry] : pending_) {
    entry->approval->deadline = deadline_for(*entry->approval);
    if (!entry->published) continue;
    events_.publish(event_of(*entry->approval, "approval/updated", clock_));
    entry->decided.poke();
  }
}

void ApprovalQueue::set_settings(config::Approvals settings) {
  settings_ = settings;
}

ApprovalQueue::EntryPtr ApprovalQueue::entry_of(const std::string& id) const {
  if (const auto found = pending_.find(id); found != pending_.end()) {
    return found->second;
  }
  const auto found = deciding_.find(id);
  return found == deciding_.end() ? nullptr : found->second;
}

ApprovalPtr ApprovalQueue::find(const std::string& id) const {
  if (const EntryPtr entry = entry_of(id)) {
    return entry->published ? entry->approval : nullptr;
  }
  for (const ApprovalPtr& approval : resolved_) {
    if (approval->id == id) return approval;
  }
  return nullptr;
}

std::vector<ApprovalPtr> ApprovalQueue::pending() const {
  std::vector<ApprovalPtr> out;
  out.reserve(pending_.size());
  for (const auto& [id, entry] : pending_) {
    if (entry->published) out.push_back(entry->approval);
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return asked_before(*a, *b); });
  return out;
}

std::vector<ApprovalPtr> ApprovalQueue::resolved() const {
  std::vector<ApprovalPtr> out(resolved_.begin(), resolved_.end());
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return asked_before(*a, *b); });
  return out;
}

bool asked_before(const Approval& a, const Approval& b) {
  return std::tie(a.created, a.id) < std::tie(b.created, b.id);
}

}  // namespace toolhost
