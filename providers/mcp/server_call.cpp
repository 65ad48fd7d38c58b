// A call: wait for the server if it starts, send once, map what comes back.
#include "providers/mcp/server.hpp"

namespace toolhost::mcp {
namespace {

// Progress keeps a call alive, but not for ever.
constexpr int kPatience = 12;

ToolOutput not_called(CallErrorKind kind, const config::McpServer& server,
                      const std::string& why) {
  return ToolOutput::failure(make_call_error(
      kind, "The server \"" + server.name + "\" was not called: " + why,
      "Nothing was sent. `toolhost mcp-servers` shows its state."));
}

}  // namespace

// Counts a call in flight while it lives.
class Server::Flight {
 public:
  explicit Flight(std::shared_ptr<Server> server) : server_(std::move(server)) {
    ++server_->in_flight_;
    server_->idle_.cancel();
  }
  ~Flight() {
    if (--server_->in_flight_ > 0) return;
    server_->drained_.cancel();
    server_->arm_idle();
  }
  Flight(const Flight&) = delete;

 private:
  std::shared_ptr<Server> server_;
};

Task<std::string> Server::until_ready(std::shared_ptr<Server> self,
                                      Stop& stop) {
  for (;;) {
    if (stop.requested()) co_return stop.reason();
    if (self->stopping_) co_return "It is being stopped.";
    const bool running = self->connection_ && !self->attempt_;
    if (running && self->connection_->alive()) co_return std::string();
    if (!self->attempt_) {
      if (std::string why = self->impossible(); !why.empty()) co_return why;
      if (self->state_ == State::failed) co_return self->reason_;
      const auto left = std::chrono::duration_cast<Milliseconds>(
          self->next_try_ - std::chrono::steady_clock::now());
      if (self->state_ == State::backoff && left.count() > 0) {
        co_return self->reason_ + " It may be started again in " +
            std::to_string(left.count()) + " ms.";
      }
      self->launch();
    }
    const std::shared_ptr<Attempt> started = self->attempt_;
    const auto wake = [started] { started->poke(); };
    const Stop::Registration registration = stop.on_request(wake);
    while (!started->ready() && !stop.requested()) co_await started->next();
    if (started->ready() && !started->value().empty()) {
      co_return started->value();
    }
  }
}

Task<ToolOutput> Server::call(std::shared_ptr<Server> self, RemoteTool tool,
                              json::object arguments,
                              const ExecutionContext& context) {
  const std::string why = co_await until_ready(self, context.stop);
  if (context.stop.requested()) {
    co_return not_called(CallErrorKind::cancelled, self->config_, why);
  }
  if (!why.empty()) {
    co_return not_called(CallErrorKind::provider_died, self->config_, why);
  }
  // What was shown and allowed has to be what is called.
  bool unchanged = false;
  for (const RemoteTool& row : self->list_.tools) {
    unchanged = unchanged || (row.raw_name == tool.raw_name &&
                              row.identity == tool.identity);
  }
  if (!unchanged) {
    co_return not_called(CallErrorKind::tool_disabled, self->config_,
                         "the tool is gone, or was changed, since it was "
                         "listed.");
  }
  const Flight flight(self);
  const std::shared_ptr<Connection> connection = self->connection_;
  RequestLimits limits;
  limits.silence = self->config_.call_timeout;
  limits.ceiling = kPatience * limits.silence;
  limits.stop = &context.stop;
  limits.progress = [&context](const json::object& params) {
    if (context.progress) context.progress(to_progress(params));
  };
  json::object params;
  params["name"] = tool.raw_name;
  params["arguments"] = std::move(arguments);
  Answer answer = co_await Connection::request(
      connection, "tools/call", std::move(params), std::move(limits));
  answer.why = connection->journal().redact(std::move(answer.why));
  co_return to_output(std::move(answer), tool, self->config_.name,
                      connection->journal().last_words(), context);
}

}  // namespace toolhost::mcp
