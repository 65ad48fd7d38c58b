#include "providers/support/stop.hpp"

#include <utility>

namespace toolhost {

void Stop::request(std::string reason) {
  if (requested()) return;
  reason_ = std::move(reason);
  flag_->store(true, std::memory_order_relaxed);
  // An action may end other registrations: run copies, look each one up.
  std::vector<int> ids;
  for (const auto& [id, action] : actions_) ids.push_back(id);
  for (const int id : ids) {
    const auto found = actions_.find(id);
    if (found == actions_.end()) continue;
    const std::function<void()> action = found->second;
    action();
  }
}

Stop::Registration Stop::on_request(std::function<void()> action) {
  if (requested()) {
    action();
    return {};
  }
  const int id = next_++;
  actions_.emplace(id, std::move(action));
  return Registration(this, id);
}

}  // namespace toolhost
