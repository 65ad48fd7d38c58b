// Server: one configured server through all its runs.
//
// States: stopped (not started, or idle), starting, ready, backoff (it ended;
// the next start has a time), failed (given up, or the configuration cannot be
// started), draining (before a restart). Starting happens beside everything
// else: nobody waits for it but the calls to this server. Its tools stay known
// from one run to the next. A call is sent once: whatever happens to the run,
// nothing is ever repeated.
//
// Loop thread only; owned by shared_ptr, kept alive by its tasks.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "providers/mcp/connection.hpp"
#include "providers/mcp/handshake.hpp"
#include "providers/mcp/list_cache.hpp"
#include "providers/mcp/output.hpp"
#include "providers/mcp/tool_list.hpp"
#include "providers/provider.hpp"

namespace toolhost::mcp {

// What a server needs of its surroundings.
struct Host {
  explicit Host(asio::io_context& io) : loop(io) {}

  asio::io_context& loop;
  // Asked before every start; an error keeps it from starting. Empty: what
  // stands in the user's own configuration may start.
  std::function<Task<Result<void>>(const config::McpServer&)> before_start;
  ListCache lists;
  // After a failure, doubled with each one, and its upper limit.
  Milliseconds first_backoff{1000};
  Milliseconds longest_backoff{60'000};
  // Between list_changed and the list, doubled while they keep coming.
  Milliseconds list_delay{100};
  // How long calls in flight have when it is restarted or taken out.
  Milliseconds drain_grace{10'000};
};

class Server : public std::enable_shared_from_this<Server> {
 public:
  // Given up after this many failures in a row.
  static constexpr int kMaxFailures = 6;
  // A run of this length ends the row.
  static constexpr std::chrono::seconds kStable{60};

  // `part` is its part of the tools' names.
  Server(Host host, config::McpServer config, std::string part,
         std::string provider);

  const config::McpServer& config() const { return config_; }
  const std::string& part() const { return part_; }
  const ToolList& tools() const { return list_; }
  ProviderStatus status() const;
  json::object details() const;
  std::function<void()> on_change;

  // Starts in the background, unless it is lazy and its tools are known, or it
  // cannot be started at all.
  void begin();
  // Ends the run; calls in flight end as unknown.
  static Task<void> stop(std::shared_ptr<Server> self);
  // Lets calls in flight end (Host::drain_grace), then stops.
  void retire();
  static Task<Result<void>> restart(std::shared_ptr<Server> self);

  // Starts it first if it does not run. `context` outlives the call.
  static Task<ToolOutput> call(std::shared_ptr<Server> self, RemoteTool tool,
                               json::object arguments,
                               const ExecutionContext& context);

 private:
  enum class State { stopped, starting, ready, failed, backoff, draining };
  // Empty: it is ready; otherwise why it is not.
  using Attempt = OneShot<std::string>;

  static std::string_view name(State state);
  // Why it can never be started; empty: it can.
  std::string impossible() const;

  void launch();
  static Task<void> attempt(std::shared_ptr<Server> self,
                            std::shared_ptr<Attempt> done);
  static Task<std::string> start_up(std::shared_ptr<Server> self);
  static Task<void> drain(std::shared_ptr<Server> self);
  static Task<void> end_run(std::shared_ptr<Server> self);
  static Task<void> relist(std::shared_ptr<Server> self);
  static Task<std::string> until_ready(std::shared_ptr<Server> self,
                                       Stop& stop);

  void watch(const std::shared_ptr<Connection>& connection);
  void lost(const Connection* which);
  void failed(std::string reason);
  void list_changed();
  void take_list(const json::array& entries, std::vector<std::string> notes);
  void arm_idle();
  void stop_idle();
  void set_state(State state, std::string reason = {});
  void changed();
  std::string explain(std::string what, const Connection& connection) const;

  class Flight;

  Host host_;
  config::McpServer config_;
  std::string part_;
  std::string provider_;
  State state_ = State::stopped;
  std::string reason_;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Attempt> attempt_;
  Peer peer_;
  ToolList list_;
  bool known_ = false;  // list_ is of some run
  bool stopping_ = false;
  bool hopeless_ = false;  // the next start would fail as this one
  int failures_ = 0;
  int starts_ = 0;
  int in_flight_ = 0;
  SteadyTime ready_since_;
  SteadyTime next_try_;
  bool relist_wanted_ = false;
  bool relisting_ = false;
  Milliseconds list_delay_;
  bool change_posted_ = false;
  json::object last_run_;  // what the journal of the last run said
  asio::steady_timer retry_;
  asio::steady_timer idle_;
  asio::steady_timer drained_;
  asio::steady_timer list_timer_;
  TaskGroup tasks_;
};

}  // namespace toolhost::mcp
