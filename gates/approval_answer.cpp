// Answering: who may, with what, and what happens to the second answer.
#include <algorithm>
#include <array>

#include "gates/approval_queue.hpp"
#include "gates/fault_point.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

bool in_ancestry(const std::vector<ProcessIdentity>& ancestry,
                 const ProcessIdentity& process) {
  return std::find(ancestry.begin(), ancestry.end(), process) != ancestry.end();
}

// Did (a forebear of) the answering process ask, or call in this session?
bool answers_itself(const Approval& approval, const Answerer& who) {
  const Requester& asker = approval.question.requester;
  if (asker.connection_id == who.connection_id) return true;
  if (asker.process == who.process) return true;
  if (in_ancestry(who.ancestry, asker.process)) return true;
  const auto& callers = approval.session->callers;
  return std::any_of(who.ancestry.begin(), who.ancestry.end(),
                     [&](const ProcessIdentity& process) {
                       return callers.contains(process);
                     });
}

const ApprovalOption* option_of(const Approval& approval,
                                const Answer& answer) {
  const auto& options = approval.question.options;
  const std::string wanted = !answer.option_id.empty() ? answer.option_id
                             : answer.decision == "allow"
                                 ? std::string("allow_once")
                                 : std::string("reject_once");
  const auto found = std::find_if(
      options.begin(), options.end(),
      [&](const ApprovalOption& option) { return option.id == wanted; });
  return found == options.end() ? nullptr : &*found;
}

Error no_such_option(const Approval& approval, const Answer& answer) {
  Error error = make_error(Code::option_not_found,
                           "The approval has no option \"" + answer.option_id +
                               answer.decision + "\".",
                           "Use one of details.options.");
  json::array ids;
  for (const ApprovalOption& option : approval.question.options) {
    ids.emplace_back(option.id);
  }
  error.details["options"] = std::move(ids);
  return error;
}

bool allows(const ApprovalOption& option) {
  return option.kind.starts_with("allow");
}

}  // namespace

std::string_view name(Decision::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames{"allow", "deny", "expired",
                                                   "withdrawn"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Error> ApprovalQueue::may_answer(const Approval& approval,
                                               const Answer& answer,
                                               const Answerer& who) const {
  if (!settings_.self_approval && answers_itself(approval, who)) {
    return make_error(
        Code::approval_forbidden,
        "Nobody answers their own question: this process, a process that it "
        "descends from, or its session asked it.",
        "Answer from another program, such as `toolhost inbox`.");
  }
  if (approval.question.human_only && !who.interactive) {
    return make_error(Code::approval_forbidden,
                      "Only a person may answer this.",
                      "Connect with capabilities.interactive.");
  }
  const ApprovalOption* option = option_of(approval, answer);
  if (!option) return no_such_option(approval, answer);
  const bool stale_revision =
      answer.revision && *answer.revision != approval.revision;
  const bool stale_digest =
      !answer.digest.empty() && answer.digest != approval.question.digest;
  const bool blind_allow = allows(*option) && answer.digest.empty();
  if (stale_revision || stale_digest || blind_allow) {
    Error error = make_error(
        Code::approval_stale,
        blind_allow ? "An allow has to carry the approvalDigest of what was "
                      "shown."
                    : "What was shown is not what is pending now.",
        "Show details.approval and answer that.");
    error.details["approval"] = to_json(approval, clock_);
    return error;
  }
  return std::nullopt;
}

Result<ApprovalQueue::Settlement> ApprovalQueue::answer_resolved(
    const ApprovalPtr& approval, const Answer& answer, const Answerer& who) {
  const Decision& decision = *approval->decision;
  const ApprovalOption* option = option_of(*approval, answer);
  const json::value* winner = decision.decided_by.if_contains("connectionId");
  if (option && winner && winner->is_string() &&
      winner->get_string() == who.connection_id &&
      option->id == decision.option_id) {
    return Settlement(nullptr, approval, true);
  }
  Error error = make_error(
      Code::approval_already_resolved,
      "The approval is over: " + std::string(name(decision.kind)) + " at " +
          decision.decided_at + ".",
      "details.approval says who decided what; nothing was changed.");
  error.details["approval"] = to_json(*approval, clock_);
  return error;
}

Task<Result<ApprovalQueue::Settlement>> ApprovalQueue::answer(
    std::string approval_id, Answer answer, Answerer who) {
  auto found = pending_.find(approval_id);
  if (found != pending_.end() && found->second->judging) {
    // What was asked before a restart is judged again before an answer counts.
    const EntryPtr restored = found->second;
    restored->judging->wanted.set(true);
    co_await restored->judging->done.wait();
    found = pending_.find(approval_id);
  }
  if (found == pending_.end() || !found->second->published) {
    const ApprovalPtr known = find(approval_id);
    if (known) co_return answer_resolved(known, answer, who);
    co_return make_error(Code::approval_not_found,
                         "There is no approval \"" + approval_id + "\".",
                         "List what is pending with listApprovals.");
  }
  const ApprovalPtr approval = found->second->approval;
  if (auto error = may_answer(*approval, answer, who)) co_return *error;
  const ApprovalOption option = *option_of(*approval, answer);
  Decision decision;
  decision.kind = allows(option) ? Decision::Kind::allow : Decision::Kind::deny;
  decision.option_id = option.id;
  decision.scope = option.scope;
  decision.comment = std::string(utf8_prefix(answer.comment, kMaxComment));
  decision.decided_by["clientName"] = who.client_name;
  decision.decided_by["clientVersion"] = who.client_version;
  decision.decided_by["connectionId"] = who.connection_id;
  decision.decided_by["pid"] = who.process.pid;

  const EntryPtr entry = take(approval_id, std::move(decision));
  co_await record(entry);
  std::string trouble = remember(*approval, option);
  fault_point("approval", "remembered");
  co_return Settlement(this, approval, false, std::move(trouble));
}

ApprovalQueue::Settlement::Settlement(ApprovalQueue* queue,
                                      ApprovalPtr approval, bool repeated,
                                      std::string warning)
    : queue_(queue),
      approval_(std::move(approval)),
      repeated_(repeated),
      warning_(std::move(warning)) {}

ApprovalQueue::Settlement::Settlement(Settlement&& other) noexcept
    : queue_(std::exchange(other.queue_, nullptr)),
      approval_(std::move(other.approval_)),
      repeated_(other.repeated_),
      warning_(std::move(other.warning_)) {}

ApprovalQueue::Settlement::~Settlement() {
  if (!queue_) return;
  const auto found = queue_->deciding_.find(approval_->id);
  if (found == queue_->deciding_.end()) return;
  const auto entry = found->second;
  const bool remembered = approval_->decision->scope != Scope::call;
  queue_->finish(entry);
  if (remembered) queue_->judge_again();
}

}  // namespace toolhost
