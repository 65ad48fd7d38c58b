#include "daemon/methods/snapshot.hpp"

#include "daemon/daemon.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// One page; a reader that needs more asks listApprovals.
constexpr std::size_t kMaxEntries = 200;
constexpr std::size_t kMaxBytes = 4U << 20;

bool is_shown(const Connection& connection, const EventFilter& filter,
              const Event& event) {
  return wants(filter, connection, event) && may_see(connection, event);
}

void add_approvals(json::object& out, Daemon& daemon,
                   const Connection& connection, const EventFilter& filter) {
  json::array& list = out["approvals"].emplace_array();
  std::size_t bytes = 0;
  std::string last;
  for (const auto& approval : daemon.approvals.pending()) {
    Event event;
    event.topic = Topic::approvals;
    event.session = approval->question.session_id;
    event.workspace = approval->question.workspace;
    event.call = approval->question.call_id;
    if (!is_shown(connection, filter, event)) continue;
    json::object one = to_json(*approval, daemon.clock);
    bytes += json_text(one).size();
    if (list.size() == kMaxEntries || (bytes > kMaxBytes && !last.empty())) {
      out["more"] = last;
      return;
    }
    last = approval->id;
    list.push_back(std::move(one));
  }
}

void add_calls(json::object& out, Daemon& daemon, const Connection& connection,
               const EventFilter& filter) {
  json::array& list = out["calls"].emplace_array();
  for (const auto& live : daemon.calls.list()) {
    const Call& call = *live->call;
    if (is_terminal(call.state)) continue;
    if (list.size() == kMaxEntries) return;
    Event event;
    event.topic = Topic::calls;
    if (call.session) {
      event.session = call.session->id;
      const auto& roots = call.session->policy.roots;
      if (!roots.empty()) event.workspace = roots.front();
    }
    event.call = call.id;
    if (is_shown(connection, filter, event)) list.push_back(summary(call));
  }
}

void add_providers(json::object& out, const Daemon& daemon) {
  json::array& list = out["providers"].emplace_array();
  for (const auto& provider : daemon.registry.providers()) {
    json::object one;
    one["name"] = provider->name();
    const ProviderStatus status = status_of(*provider, *daemon.config);
    one["state"] = status.state;
    one["enabled"] = status.enabled;
    one["available"] = status.available;
    list.push_back(std::move(one));
  }
}

// Of a connection that works in one session; others ask listTools.
void add_tools_hash(json::object& out, Daemon& daemon,
                    const Connection& connection) {
  if (connection.sessions.size() != 1) return;
  const SessionPtr session = daemon.sessions.find(*connection.sessions.begin());
  if (!session) return;
  const auto catalogue = daemon.catalogues.of(
      daemon.registry.snapshot(), session->policy, *daemon.config, session->id);
  out["toolsHash"] = catalogue->hash;
}

}  // namespace

json::object snapshot(Daemon& daemon, const Connection& connection,
                      const EventFilter& filter) {
  json::object out;
  if (filter.topics.contains(Topic::approvals)) {
    add_approvals(out, daemon, connection, filter);
  }
  if (filter.topics.contains(Topic::calls)) {
    add_calls(out, daemon, connection, filter);
  }
  if (filter.topics.contains(Topic::tools)) {
    add_tools_hash(out, daemon, connection);
  }
  if (filter.topics.contains(Topic::providers)) add_providers(out, daemon);
  return out;
}

}  // namespace toolhost
