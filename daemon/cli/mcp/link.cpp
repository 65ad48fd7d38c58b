#include "daemon/cli/mcp/link.hpp"

#include <algorithm>

namespace toolhost::cli::mcp {

Link::Change Link::step(SteadyTime now) {
  if (lost_) {
    client_.reset();
    lost_ = false;
  }
  if (client_) {
    auto read = client_->pump(Milliseconds(0));
    if (read) return Change::none;
    why_ = read.error();
    lost_ = true;
    next_try_ = now + next_pause_;
    return Change::down;
  }
  if (now < next_try_) return Change::none;
  auto client = dial_();
  if (!client) {
    why_ = client.error();
    next_try_ = now + next_pause_;
    next_pause_ = std::min(next_pause_ * 2, kLongestPause);
    return Change::failed;
  }
  client_.emplace(std::move(*client));
  next_pause_ = kFirstPause;
  known_ = true;
  return Change::up;
}

Milliseconds Link::pause(SteadyTime now) const {
  if (lost_) return Milliseconds(0);
  if (client_) {
    return client_->has_notifications() ? Milliseconds(0) : Client::kForever;
  }
  if (next_try_ <= now) return Milliseconds(0);
  return std::chrono::ceil<Milliseconds>(next_try_ - now);
}

}  // namespace toolhost::cli::mcp
