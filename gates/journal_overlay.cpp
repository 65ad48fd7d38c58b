#include "gates/journal_overlay.hpp"

namespace toolhost {

void JournalOverlay::begun(const JournalCall& call, std::uint64_t ticket) {
  if (call.idempotency_key.empty()) return;
  Begun begun{call, ticket};
  const auto [at, added] =
      begun_.try_emplace({call.session_id, call.idempotency_key}, begun);
  if (added) return;
  // Only after a failure may a key be used again; else the database refuses
  // the second call, and the first stays.
  JournalCall earlier = at->second.call;
  complete(earlier);
  if (earlier.state == JournalState::failed) at->second = std::move(begun);
}

void JournalOverlay::refused(const JournalCall& call, std::uint64_t ticket) {
  const auto found = begun_.find({call.session_id, call.idempotency_key});
  if (found != begun_.end() && found->second.ticket == ticket) {
    begun_.erase(found);
  }
}

void JournalOverlay::ended(std::shared_ptr<const JournalCompletion> end,
                           std::uint64_t ticket) {
  std::string call_id = end->call_id;
  ended_.insert_or_assign(std::move(call_id), Ended{std::move(end), ticket});
}

void JournalOverlay::settle(std::uint64_t ticket) {
  if (ticket <= settled_) return;
  settled_ = ticket;
  const auto is_settled = [&](const auto& entry) {
    return entry.second.ticket <= ticket;
  };
  std::erase_if(begun_, is_settled);
  std::erase_if(ended_, is_settled);
}

std::optional<JournalCall> JournalOverlay::find(const std::string& session_id,
                                                const std::string& key) const {
  const auto found = begun_.find({session_id, key});
  if (found == begun_.end()) return std::nullopt;
  JournalCall call = found->second.call;
  complete(call);
  return call;
}

void JournalOverlay::complete(JournalCall& call) const {
  const auto found = ended_.find(call.call_id);
  if (found == ended_.end()) return;
  const JournalCompletion& end = *found->second.end;
  call.state = end.state;
  call.completed_at = end.completed_at;
  call.result = end.result;
}

}  // namespace toolhost
