// attachSession: lets an agent use a session that somebody opened for it. The
// process stays bound to it, with its descendants.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object& params) {
  Fields in(params, "params");
  const std::string id = in.required_string("sessionId");
  const std::string token = in.required_string("token");
  if (in.error()) return *in.error();
  const SessionPtr session = daemon.sessions.attach(id, token);
  if (!session || session->closing) {
    return make_error(Code::session_not_found,
                      "No open session has this id and token.",
                      "The token comes with the reply of openSession; it ends "
                      "with the session.");
  }
  if (connection.kind() == SocketKind::caller) {
    const auto bound = daemon.sessions.bound(connection.peer().ancestry);
    if (bound && *bound != id) {
      return make_error(Code::forbidden,
                        "This process is bound to another session.",
                        "One process works in one session; start another.");
    }
    daemon.sessions.bind(connection.peer().process, id);
    // It stays bound when we start again.
    if (!bound) daemon.save_sessions();
  }
  connection.sessions.insert(id);
  json::object out = to_json(*session);
  return json_text(out);
}

}  // namespace

const MethodDefinition attach_session_method{
    .name = "attachSession", .roles = kCaller | kApprover, .now = run};

}  // namespace toolhost
