// Starting, restarting, and keeping the list of tools.
#include <boost/asio/post.hpp>

#include "providers/mcp/launch.hpp"
#include "providers/mcp/server.hpp"
#include "providers/support/log.hpp"

namespace toolhost::mcp {
namespace {

// A start that keeps saying something (an installer) may take this many times
// its limit.
constexpr int kPatience = 10;
constexpr Milliseconds kLongestListDelay{10'000};

RequestLimits start_limits(const config::McpServer& config) {
  RequestLimits out;
  out.silence = config.start_timeout;
  out.ceiling = kPatience * config.start_timeout;
  out.any_output = true;
  return out;
}

std::string path_of(const ProcessSpec& process) {
  for (const std::string& entry : process.env) {
    if (entry.starts_with("PATH=")) return entry;
  }
  return "no PATH";
}

std::string cannot_start(const Error& error, const Launch& launch) {
  const std::string& program = launch.process.argv.front();
  std::string out = error.message + ". It was to run in " + launch.process.cwd;
  if (program.find('/') == std::string::npos) {
    out += "; looked for with " + path_of(launch.process);
  }
  return launch.secrets.redact(out + ".");
}

bool same_hints(const Annotations& a, const Annotations& b) {
  return a.read_only == b.read_only && a.destructive == b.destructive &&
         a.idempotent == b.idempotent && a.open_world == b.open_world;
}

bool same_tools(const ToolList& a, const ToolList& b) {
  if (a.tools.size() != b.tools.size()) return false;
  for (std::size_t i = 0; i < a.tools.size(); ++i) {
    const RemoteTool& x = a.tools[i];
    const RemoteTool& y = b.tools[i];
    if (x.tool.name != y.tool.name || x.identity != y.identity ||
        x.tool.policy != y.tool.policy || x.tool.title != y.tool.title ||
        x.tool.pure_read != y.tool.pure_read ||
        !same_hints(x.tool.annotations, y.tool.annotations)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void Server::launch() {
  if (attempt_ || stopping_) return;
  attempt_ = std::make_shared<Attempt>(host_.loop);
  set_state(connection_ ? State::draining : State::starting);
  tasks_.spawn(attempt(shared_from_this(), attempt_));
}

Task<void> Server::attempt(std::shared_ptr<Server> self,
                           std::shared_ptr<Attempt> done) {
  self->retry_.cancel();
  self->idle_.cancel();
  if (self->connection_) {
    co_await drain(self);
    co_await end_run(self);
    // What the old run's descriptors still have to tell comes before the new
    // ones exist.
    co_await asio::post(self->host_.loop, asio::use_awaitable);
  }
  std::string why = "It is being stopped.";
  if (!self->stopping_) why = co_await start_up(self);
  if (self->stopping_ || !why.empty()) co_await end_run(self);
  self->attempt_ = nullptr;
  if (self->stopping_) {
    if (why.empty()) why = "It is being stopped.";
  } else if (!why.empty()) {
    self->failed(why);
  } else if (!self->connection_->alive()) {
    // It ended while its tools were being read.
    why = "It " + self->connection_->end_reason() + ".";
    self->lost(self->connection_.get());
  } else {
    self->ready_since_ = std::chrono::steady_clock::now();
    self->set_state(State::ready);
    self->arm_idle();
    if (self->relist_wanted_) self->list_changed();
  }
  done->set(std::move(why));
}

// Leaves the connection in place, also after a failure.
Task<std::string> Server::start_up(std::shared_ptr<Server> self) {
  self->set_state(State::starting);
  self->relist_wanted_ = false;
  const Result<Launch> launch = make_launch(self->config_);
  if (!launch) {
    self->hopeless_ = true;
    const Error error = launch.error();
    co_return error.message + " " + error.hint;
  }
  if (self->host_.before_start) {
    const Result<void> allowed =
        co_await self->host_.before_start(self->config_);
    if (!allowed) {
      self->hopeless_ = true;
      co_return allowed.error().message;
    }
    if (self->stopping_) co_return "It is being stopped.";
  }
  auto opened = Connection::open(self->host_.loop, *launch);
  if (!opened) co_return cannot_start(opened.error(), *launch);
  const std::shared_ptr<Connection> connection = *opened;
  self->connection_ = connection;
  ++self->starts_;
  self->watch(connection);
  const RequestLimits limits = start_limits(self->config_);
  const Result<Peer> peer = co_await handshake(connection, limits);
  if (!peer) co_return self->explain(peer.error().message, *connection);
  self->peer_ = *peer;
  std::vector<std::string> notes;
  const Result<json::array> entries =
      co_await fetch_tools(connection, limits, notes);
  if (!entries) co_return self->explain(entries.error().message, *connection);
  self->take_list(*entries, std::move(notes));
  co_return std::string();
}

Task<void> Server::end_run(std::shared_ptr<Server> self) {
  if (!self->connection_) co_return;
  const auto connection = std::exchange(self->connection_, nullptr);
  self->last_run_ = connection->journal().details();
  co_await Connection::close(connection);
}

Task<void> Server::drain(std::shared_ptr<Server> self) {
  const SteadyTime last =
      std::chrono::steady_clock::now() + self->host_.drain_grace;
  while (self->in_flight_ > 0 && !self->stopping_ &&
         std::chrono::steady_clock::now() < last) {
    self->drained_.expires_at(last);
    co_await self->drained_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

Task<Result<void>> Server::restart(std::shared_ptr<Server> self) {
  if (const std::string why = self->impossible(); !why.empty()) {
    co_return make_error(Code::provider_unavailable, why,
                         "Change its entry in mcpServers, then `toolhost "
                         "reload`.");
  }
  self->failures_ = 0;
  self->hopeless_ = false;
  self->launch();
  const std::shared_ptr<Attempt> started = self->attempt_;
  if (!started) {
    co_return make_error(Code::shutting_down, "The daemon is stopping.");
  }
  co_await started->wait();
  if (!started->value().empty()) {
    co_return make_error(Code::provider_unavailable, started->value());
  }
  co_return Result<void>();
}

void Server::take_list(const json::array& entries,
                       std::vector<std::string> notes) {
  ToolList next = read_tools(entries, config_, part_, provider_);
  next.notes.insert(next.notes.begin(), notes.begin(), notes.end());
  const bool same = known_ && same_tools(list_, next);
  list_ = std::move(next);
  known_ = true;
  if (same) return;
  host_.lists.write(config_, entries);
  changed();
}

void Server::list_changed() {
  relist_wanted_ = true;
  // The list that is being read may be the old one: read it again afterwards.
  if (attempt_ || std::exchange(relisting_, true)) return;
  tasks_.spawn(relist(shared_from_this()));
}

// One list at a time, and one more for what was told meanwhile.
Task<void> Server::relist(std::shared_ptr<Server> self) {
  while (self->relist_wanted_ && !self->stopping_) {
    self->list_timer_.expires_after(self->list_delay_);
    self->list_delay_ = std::min(2 * self->list_delay_, kLongestListDelay);
    co_await self->list_timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    const auto connection = self->connection_;
    if (!connection || self->attempt_ || self->stopping_) break;
    self->relist_wanted_ = false;
    std::vector<std::string> notes;
    const RequestLimits limits = start_limits(self->config_);
    const Result<json::array> entries =
        co_await fetch_tools(connection, limits, notes);
    if (self->connection_ != connection) break;
    if (entries) {
      self->take_list(*entries, std::move(notes));
    } else {
      log_warn("the old tools stay provider=" + self->provider_ +
               " error=" + entries.error().message);
    }
  }
  self->list_delay_ = self->host_.list_delay;
  self->relisting_ = false;
}

}  // namespace toolhost::mcp
