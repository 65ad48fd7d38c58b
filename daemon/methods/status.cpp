#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// More are not read by a person; `connections` says how many there are.
constexpr std::size_t kClientsShown = 200;

json::object call_counts(const Daemon& daemon) {
  int running = 0;
  int waiting = 0;
  int queued = 0;
  for (const auto& live : daemon.calls.list()) {
    switch (live->call->state) {
      case CallState::running:
        ++running;
        break;
      case CallState::waiting_for_approval:
        ++waiting;
        break;
      case CallState::queued:
      case CallState::checking:
        ++queued;
        break;
      default:
        break;
    }
  }
  json::object out;
  out["running"] = running;
  out["waitingForApproval"] = waiting;
  out["queued"] = queued;
  return out;
}

json::array providers_json(const Daemon& daemon) {
  json::array out;
  for (const auto& provider : daemon.registry.providers()) {
    const ProviderStatus status = status_of(*provider, *daemon.config);
    json::object one;
    one["name"] = provider->name();
    one["state"] = status.state;
    if (!status.reason.empty()) one["reason"] = status.reason;
    out.push_back(std::move(one));
  }
  return out;
}

// Who is connected: the first question when something hangs.
json::array clients_json(const Daemon& daemon) {
  json::array out;
  for (const auto& connection : daemon.server.connections()) {
    if (out.size() == kClientsShown) break;
    json::object one;
    one["connectionId"] = connection->id();
    one["pid"] = connection->peer().process.pid;
    one["name"] = connection->client.name;
    one["version"] = connection->client.version;
    one["roles"] = roles_json(connection->roles);
    one["socket"] =
        connection->kind() == SocketKind::caller ? "caller" : "control";
    out.push_back(std::move(one));
  }
  return out;
}

Result<std::string> status(Daemon& daemon, Connection& connection,
                           const json::object&) {
  json::object out;
  out["version"] = kVersion;
  out["epoch"] = daemon.events.epoch();
  if (connection.kind() == SocketKind::caller) return json_text(out);
  out["pid"] = getpid();
  out["startedAt"] = daemon.started_at;
  out["stopping"] = daemon.stopping;
  out["connections"] = daemon.server.connections().size();
  out["calls"] = call_counts(daemon);
  out["pendingApprovals"] = daemon.approvals.pending_count();
  if (!connection.initialized) return json_text(out);

  out["socket"] = daemon.paths.control_socket;
  out["callerSocket"] = daemon.paths.caller_socket;
  out["config"] = daemon.config->file;
  out["approvers"] = daemon.server.approvers();
  out["sessions"] = daemon.sessions.size();
  out["subscriptions"] = daemon.events.subscriptions();
  out["providers"] = providers_json(daemon);
  out["hooks"] = daemon.hooks.statistics(*daemon.config);
  out["clients"] = clients_json(daemon);
  json::array& list = out["warnings"].emplace_array();
  for (const auto& warning : daemon.warnings()) list.emplace_back(warning);
  return json_text(out);
}

}  // namespace

const MethodDefinition status_method{
    .name = "status", .before_initialize = true, .now = status};

}  // namespace toolhost
