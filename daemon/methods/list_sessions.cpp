// listSessions: the sessions that this connection may use; never a token.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object&) {
  // Those of processes that are gone are no sessions any more.
  daemon.implicit_sessions.prune();
  json::array sessions;
  for (const SessionPtr& session : daemon.sessions.list()) {
    if (!session->closing && may_use(connection, session->id)) {
      sessions.push_back(to_json(*session));
    }
  }
  json::object out;
  out["sessions"] = std::move(sessions);
  return json_text(out);
}

}  // namespace

const MethodDefinition list_sessions_method{
    .name = "listSessions",
    .roles = kCaller | kApprover | kObserver,
    .now = run};

}  // namespace toolhost
