#include "daemon/calls.hpp"

#include <algorithm>

#include "providers/support/log.hpp"

namespace toolhost {

Calls::Calls(asio::io_context& loop, Pipeline& pipeline, Clock& clock)
    : loop_(loop),
      pipeline_(pipeline),
      clock_(clock),
      ended_(loop),
      drained_(loop),
      tasks_(loop, "calls") {}

std::size_t Calls::running() const {
  return static_cast<std::size_t>(
      std::count_if(live_.begin(), live_.end(), [](const auto& row) {
        return row.second->call->state != CallState::waiting_for_approval;
      }));
}

Result<LiveCallPtr> Calls::start(std::shared_ptr<Call> call, int max_running) {
  // Counting walks the table; below the limit in all there is nothing to count.
  const auto limit = static_cast<std::size_t>(max_running);
  if (live_.size() >= limit && running() >= limit) {
    Error error =
        make_error(Code::overloaded,
                   std::to_string(max_running) + " calls are running already.",
                   "Wait for retryAfterMs and send it again.");
    error.details["retryAfterMs"] = 200;
    return error;
  }
  LiveCallPtr live = add(std::move(call));
  tasks_.spawn(drive(live));
  return live;
}

LiveCallPtr Calls::restore(std::shared_ptr<Call> call, Milliseconds grace) {
  LiveCallPtr live = add(std::move(call));
  live->cancel_on_disconnect = !live->call->stays;
  tasks_.spawn(drive(live));
  if (live->cancel_on_disconnect) wait_for_caller(live, grace);
  return live;
}

LiveCallPtr Calls::add(std::shared_ptr<Call> call) {
  auto live = std::make_shared<LiveCall>();
  live->done = std::make_shared<OneShot<bool>>(loop_);
  call->created = clock_.steady();
  live->call = std::move(call);
  live_.emplace(live->call->id, live);
  if (!live->call->idempotency_key.empty()) {
    keys_[{live->call->session->id, live->call->idempotency_key}] = live;
  }
  ++live->call->session->live_calls;
  return live;
}

Task<void> Calls::drive(LiveCallPtr live) {
  Call& call = *live->call;
  try {
    co_await pipeline_.run(live->call);
  } catch (const std::exception& error) {
    log_error("a gate threw call=" + call.id + " error=" + error.what());
    call.state = CallState::failed;
    call.output = ToolOutput::failure(
        make_call_error(CallErrorKind::internal,
                        std::string("The daemon failed: ") + error.what(),
                        "Nothing more is known; the log has the call's id."));
    call.result_text = std::make_shared<std::string>(result_text(call));
  }
  if (call.restored) co_await pipeline_.release(live->call);
  --call.session->live_calls;
  live_.erase(call.id);
  if (!call.idempotency_key.empty()) {
    const auto found = keys_.find({call.session->id, call.idempotency_key});
    if (found != keys_.end() && found->second == live) keys_.erase(found);
  }
  call.shed();
  recent_.push_back(live);
  recent_bytes_ += call.result_text->size();
  while (recent_.size() > kRecent ||
         (recent_bytes_ > kRecentBytes && recent_.size() > 1)) {
    recent_bytes_ -= recent_.front()->call->result_text->size();
    recent_.pop_front();
  }
  live->done->set(true);
  if (live->grace) live->grace->cancel();
  ended_.poke();
  if (live_.empty()) drained_.cancel();
}

Task<void> Calls::drain(SteadyTime deadline) {
  drained_.expires_at(deadline);
  while (!live_.empty() && clock_.steady() < deadline) {
    co_await drained_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

LiveCallPtr Calls::find(const std::string& call_id) const {
  if (const auto found = live_.find(call_id); found != live_.end()) {
    return found->second;
  }
  for (auto row = recent_.rbegin(); row != recent_.rend(); ++row) {
    if ((*row)->call->id == call_id) return *row;
  }
  return nullptr;
}

LiveCallPtr Calls::find_key(const std::string& session,
                            const std::string& key) const {
  const auto found = keys_.find({session, key});
  return found == keys_.end() ? nullptr : found->second;
}

std::vector<LiveCallPtr> Calls::list() const {
  std::vector<LiveCallPtr> out;
  for (const auto& [id, live] : live_) out.push_back(live);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a->call->created > b->call->created;
  });
  out.insert(out.end(), recent_.rbegin(), recent_.rend());
  return out;
}

void Calls::leave(const LiveCallPtr& live, Milliseconds grace) {
  --live->waiting;
  if (live->waiting > 0 || live->done->ready() || !live->cancel_on_disconnect) {
    return;
  }
  // A call that was only given an id is no promise to come back.
  const std::string& key = live->call->idempotency_key;
  if (key.empty() || key == live->call->id) {
    live->call->stop.request("The caller disconnected.");
  } else {
    wait_for_caller(live, grace);
  }
}

void Calls::wait_for_caller(const LiveCallPtr& live, Milliseconds grace) {
  live->grace = std::make_shared<asio::steady_timer>(loop_, grace);
  tasks_.spawn(cancel_later(live, live->grace));
}

Task<void> Calls::cancel_later(LiveCallPtr live,
                               std::shared_ptr<asio::steady_timer> grace) {
  // Ends early when the call does, so that a shutdown need not wait for it.
  const auto on_stop =
      live->call->stop.on_request([grace] { grace->cancel(); });
  co_await grace->async_wait(asio::as_tuple(asio::use_awaitable));
  // Who came back and left again has a grace of its own.
  if (live->grace != grace || live->waiting > 0 || live->done->ready()) {
    co_return;
  }
  live->call->stop.request(
      "The caller disconnected and did not come back in time.");
}

void Calls::cancel_session(const std::string& session, const std::string& why) {
  for (const LiveCallPtr& live : list()) {
    if (!live->done->ready() && live->call->session->id == session) {
      live->call->stop.request(why);
    }
  }
}

void Calls::cancel_all(const std::string& why) {
  for (const LiveCallPtr& live : list()) {
    if (!live->done->ready()) live->call->stop.request(why);
  }
}

Task<void> Calls::join() { co_await tasks_.join(); }

}  // namespace toolhost
