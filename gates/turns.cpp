#include "gates/turns.hpp"

namespace toolhost {

SnapshotPtr Turns::pin(const std::string& session, const std::string& turn,
                       SnapshotPtr current) {
  if (turn.empty()) return current;
  const SteadyTime now = clock_.steady();
  Key key(session, turn);
  const auto found = pins_.find(key);
  if (found != pins_.end()) {
    if (now - found->second.since < kLongest) return found->second.snapshot;
    found->second = Pin{current, now};
    return current;
  }
  pins_.emplace(key, Pin{current, now});
  order_.push_back(std::move(key));
  while (order_.size() > kMaxPins) {
    pins_.erase(order_.front());
    order_.pop_front();
  }
  return current;
}

void Turns::end_session(const std::string& session) {
  std::erase_if(pins_,
                [&](const auto& row) { return row.first.first == session; });
  std::erase_if(order_, [&](const Key& key) { return key.first == session; });
}

}  // namespace toolhost
