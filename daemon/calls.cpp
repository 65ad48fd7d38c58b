#include "daemon/calls.hpp"

#include <algorithm>

#include "providers/support/log.hpp"

namespace toolhost {

Calls::Calls(asio::io_context& loop, Pipeline& pipeline, Clock& clock)
    : loop_(loop), pipeline_(pipeline), clock_(clock), tasks_(loop, "calls") {}

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
  auto live = std::make_shared<LiveCall>();
  live->done = std::make_shared<OneShot<bool>>(loop_);
  call->created = clock_.steady();
  live->call = std::move(call);
  live_.emplace(live->call->id, live);
  if (!live->call->idempotency_key.empty()) {
    keys_[{live->call->session->id, live->call->idempotency_key}] = live;
  }
  ++live->call->session->live_calls;
  tasks_.spawn(drive(live));
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
  --call.session->live_calls;
  live_.erase(call.id);
  if (!call.idempotency_key.empty()) {
    const auto found = keys_.find({call.session->id, call.idempotency_key});
    if (found != keys_.end() && found->second == live) keys_.erase(found);
  }
  // What only a running call needs goes; lists and getCall read the rest.
  call.output.content.clear();
  call.progress = nullptr;
  call.raw_arguments.clear();
  call.workspace = Workspace();
  recent_.push_back(live);
  recent_bytes_ += call.result_text->size();
  while (recent_.size() > kRecent ||
         (recent_bytes_ > kRecentBytes && recent_.size() > 1)) {
    recent_bytes_ -= recent_.front()->call->result_text->size();
    recent_.pop_front();
  }
  live->done->set(true);
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
  if (live->call->idempotency_key.empty()) {
    live->call->stop.request("The caller disconnected.");
  } else {
    tasks_.spawn(cancel_later(live, grace));
  }
}

Task<void> Calls::cancel_later(LiveCallPtr live, Milliseconds grace) {
  const SteadyTime deadline = clock_.steady() + grace;
  asio::steady_timer timer(loop_, deadline);
  // Ends early when the call does, so that a shutdown need not wait for it.
  const auto on_stop = live->call->stop.on_request([&] { timer.cancel(); });
  while (!live->done->ready() && !live->call->stop.requested() &&
         live->waiting == 0 && clock_.steady() < deadline) {
    timer.expires_at(
        std::min(deadline, clock_.steady() + std::chrono::milliseconds(250)));
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (live->waiting == 0 && !live->done->ready()) {
    live->call->stop.request(
        "The caller disconnected and did not come back in time.");
  }
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
