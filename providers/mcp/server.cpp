// States: what follows on what. Starting is in server_start.cpp, calls in
// server_call.cpp.
#include "providers/mcp/server.hpp"

#include <boost/asio/post.hpp>

#include "providers/support/log.hpp"

namespace toolhost::mcp {

Server::Server(Host host, config::McpServer config, std::string part,
               std::string provider)
    : host_(std::move(host)),
      config_(std::move(config)),
      part_(std::move(part)),
      provider_(std::move(provider)),
      list_delay_(host_.list_delay),
      retry_(host_.loop),
      idle_(host_.loop),
      drained_(host_.loop),
      list_timer_(host_.loop),
      tasks_(host_.loop, provider_) {}

std::string_view Server::name(State state) {
  switch (state) {
    case State::stopped:
      return "stopped";
    case State::starting:
      return "starting";
    case State::ready:
      return "ready";
    case State::failed:
      return "failed";
    case State::backoff:
      return "backoff";
    case State::draining:
      return "draining";
  }
  return "stopped";
}

std::string Server::impossible() const {
  if (!config_.enabled) return "The configuration switches it off.";
  if (!config_.url.empty()) {
    return "It is behind HTTP, which is not supported yet; a server with "
           "\"command\" is.";
  }
  return {};
}

ProviderStatus Server::status() const {
  ProviderStatus out;
  out.enabled = config_.enabled;
  out.state = name(state_);
  out.reason = reason_;
  out.restarts = std::max(0, starts_ - 1);
  if (std::string why = impossible(); !why.empty()) {
    out.available = false;
    out.reason = std::move(why);
    if (config_.enabled) out.state = name(State::failed);
    return out;
  }
  // Tools that are known stay offered: a call starts the server, or says when
  // that will be possible.
  out.available = state_ == State::ready || (known_ && state_ != State::failed);
  if (out.reason.empty() && state_ == State::starting) {
    out.reason = "It is starting.";
  }
  return out;
}

void Server::set_state(State state, std::string reason) {
  if (state_ == state && reason_ == reason) return;
  state_ = state;
  reason_ = std::move(reason);
  const std::string line = "mcp server provider=" + provider_ +
                           " state=" + std::string(name(state_)) +
                           (reason_.empty() ? "" : " reason=" + reason_);
  if (state_ == State::failed || state_ == State::backoff) {
    log_warn(line);
  } else {
    log_info(line);
  }
  changed();
}

// Told from the loop, and once for all that changed until then.
void Server::changed() {
  if (std::exchange(change_posted_, true)) return;
  asio::post(host_.loop, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->change_posted_ = false;
    if (self->on_change) self->on_change();
  });
}

void Server::begin() {
  if (!impossible().empty() || stopping_) return;
  if (const auto kept = host_.lists.read(config_); kept && !known_) {
    list_ = read_tools(*kept, config_, part_, provider_);
    known_ = true;
    changed();
  }
  if (config_.startup == config::McpStartup::lazy && known_) return;
  launch();
}

void Server::watch(const std::shared_ptr<Connection>& connection) {
  connection->on_end = [weak = weak_from_this(), which = connection.get()] {
    if (const auto self = weak.lock()) self->lost(which);
  };
  connection->on_notification =
      [weak = weak_from_this(), which = connection.get()](
          const std::string& method, const json::object&) {
        const auto self = weak.lock();
        if (!self || self->connection_.get() != which) return;
        if (method == "notifications/tools/list_changed") self->list_changed();
      };
}

// The run ended by itself. While it is being started, who starts it sees that.
void Server::lost(const Connection* which) {
  if (connection_.get() != which || attempt_ || stopping_) return;
  const auto connection = std::exchange(connection_, nullptr);
  std::string reason =
      explain("It " + connection->end_reason() + ".", *connection);
  last_run_ = connection->journal().details();
  tasks_.spawn(Connection::close(connection));
  if (std::chrono::steady_clock::now() - ready_since_ >= kStable) {
    failures_ = 0;
  }
  failed(std::move(reason));
}

void Server::failed(std::string reason) {
  ++failures_;
  idle_.cancel();
  if (hopeless_) return set_state(State::failed, std::move(reason));
  if (failures_ >= kMaxFailures) {
    return set_state(State::failed,
                     "It was given up after " + std::to_string(failures_) +
                         " failures; `toolhost mcp-servers restart` tries "
                         "again. The last: " +
                         reason);
  }
  Milliseconds delay = host_.first_backoff;
  for (int i = 1; i < failures_; ++i) {
    delay = std::min(2 * delay, host_.longest_backoff);
  }
  next_try_ = std::chrono::steady_clock::now() + delay;
  set_state(State::backoff, std::move(reason));
  // A lazy one waits for the next call.
  if (config_.startup == config::McpStartup::lazy) return;
  retry_.expires_at(next_try_);
  retry_.async_wait([weak = weak_from_this()](auto error) {
    const auto self = weak.lock();
    if (error || !self || self->state_ != State::backoff) return;
    self->launch();
  });
}

void Server::arm_idle() {
  if (config_.idle_stop.count() == 0 || in_flight_ > 0) return;
  idle_.expires_after(config_.idle_stop);
  idle_.async_wait([weak = weak_from_this()](auto error) {
    const auto self = weak.lock();
    if (!error && self) self->stop_idle();
  });
}

void Server::stop_idle() {
  if (state_ != State::ready || in_flight_ > 0 || attempt_) return;
  const auto connection = std::exchange(connection_, nullptr);
  last_run_ = connection->journal().details();
  tasks_.spawn(Connection::close(connection));
  set_state(State::stopped, "It was idle; the next call starts it.");
}

Task<void> Server::stop(std::shared_ptr<Server> self) {
  self->stopping_ = true;
  self->retry_.cancel();
  self->idle_.cancel();
  self->list_timer_.cancel();
  self->drained_.cancel();
  if (self->connection_) {
    const auto connection = std::exchange(self->connection_, nullptr);
    co_await Connection::close(connection);
  }
  co_await self->tasks_.join();
  self->set_state(State::stopped);
}

void Server::retire() {
  const auto last = [](std::shared_ptr<Server> self) -> Task<void> {
    co_await drain(self);
    self->stopping_ = true;
    self->retry_.cancel();
    self->idle_.cancel();
    self->list_timer_.cancel();
    co_await end_run(self);
    self->set_state(State::stopped);
  };
  on_change = nullptr;
  tasks_.spawn(last(shared_from_this()));
}

std::string Server::explain(std::string what,
                            const Connection& connection) const {
  const std::string words = connection.journal().last_words();
  if (!words.empty()) what += " It wrote last: " + words;
  return connection.journal().redact(std::move(what));
}

json::object Server::details() const {
  json::object out = connection_ ? connection_->journal().details() : last_run_;
  out["transport"] = config_.url.empty() ? "stdio" : "http";
  if (!peer_.version.empty()) out["protocolVersion"] = peer_.version;
  if (!peer_.name.empty()) out["serverName"] = peer_.name;
  if (!peer_.software_version.empty()) {
    out["serverVersion"] = peer_.software_version;
  }
  if (connection_) out["pid"] = connection_->pid();
  json::array unavailable;
  for (const Unavailable& row : list_.unavailable) {
    json::object entry;
    entry["name"] = row.raw_name;
    entry["reason"] = row.reason;
    unavailable.push_back(std::move(entry));
  }
  if (!unavailable.empty()) out["unavailableTools"] = std::move(unavailable);
  json::array notes;
  if (const auto* earlier = out.if_contains("notes")) {
    notes = earlier->get_array();
  }
  for (const std::string& note : list_.notes) notes.emplace_back(note);
  if (!notes.empty()) out["notes"] = std::move(notes);
  return out;
}

}  // namespace toolhost::mcp
