// Questions of an earlier life of the daemon.
#include <algorithm>

#include "gates/approval_queue.hpp"
#include "gates/fault_point.hpp"

namespace toolhost {

void ApprovalQueue::restore(ApprovalPtr approval) {
  if (approval->decision) {
    resolved_.push_back(std::move(approval));
    if (resolved_.size() > kResolvedKept) resolved_.pop_front();
    return;
  }
  // The time while we were down was nobody's fault.
  approval->expires_not_before = clock_.steady() + settings_.disconnect_grace;
  approval->deadline = deadline_for(*approval);
  const EntryPtr entry = std::make_shared<Entry>(loop_, approval);
  entry->judging = std::make_unique<Entry::Judging>(loop_);
  entry->published = true;
  pending_.emplace(approval->id, entry);
  events_.publish(event_of(*approval, "approval/requested", clock_));
  fault_point("restore", "published");
}

Task<void> ApprovalQueue::turn_to_judge(ApprovalPtr restored) {
  const EntryPtr entry = entry_of(restored->id);
  if (entry && entry->judging) co_await entry->judging->wanted.wait();
}

Task<void> ApprovalQueue::judge_restored() {
  std::vector<EntryPtr> restored;
  for (const auto& [id, entry] : pending_) {
    if (entry->judging) restored.push_back(entry);
  }
  for (const EntryPtr& entry : restored) {
    entry->judging->wanted.set(true);
    co_await entry->judging->done.wait();
  }
}

Task<ApprovalPtr> ApprovalQueue::resume(ApprovalPtr restored, Question question,
                                        Stop& stop) {
  const EntryPtr entry = entry_of(restored->id);
  if (!entry) co_return restored;
  const bool new_reasons = question.because != restored->question.because;
  restored->question = std::move(question);
  restored->suspicious.clear();
  find_suspicious(*restored);
  if (new_reasons && !restored->decision) {
    ++restored->revision;
    events_.publish(event_of(*restored, "approval/updated", clock_));
  }
  entry->judging->done.set(true);
  co_await sleep(entry, stop);
  co_return restored;
}

Task<void> ApprovalQueue::conclude(ApprovalPtr restored, std::string why,
                                   std::string_view state) {
  const EntryPtr entry = entry_of(restored->id);
  if (!entry) co_return;
  if (!restored->decision) {
    restored->state = state;
    withdraw(restored->id, why);
  }
  if (entry->recorded) co_return;
  co_await record(entry);
  finish(entry);
}

void ApprovalQueue::honour(const Approval& restored, const Question& question) {
  const auto option =
      std::find_if(question.options.begin(), question.options.end(),
                   [&](const ApprovalOption& each) {
                     return each.id == restored.decision->option_id;
                   });
  if (option != question.options.end()) (void)remember(restored, *option);
}

}  // namespace toolhost
