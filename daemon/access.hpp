// Which sessions a connection may use and see, and which one a request means.
#pragma once

#include <string>

#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"

namespace toolhost {

// A person's side: the control socket, with a role that may answer, watch or
// administer. Everybody else sees and uses only their own sessions.
bool is_control(const Connection& connection);

bool may_use(const Connection& connection, const std::string& session_id);

// The session named by `sessionId`, or the one that the process is bound to,
// or an implicit one for `workspace` (of the request, else of initialize).
// sessionNotFound, sessionRequired, or what is wrong with the workspace.
Result<SessionPtr> session_for(Daemon& daemon, Connection& connection,
                               const json::object& params);

// The roots, mode and policies of openSession, updateSession, or the wish of a
// call (`workspace` and `context`), with paths checked.
Result<PolicyWish> wish_of_call(Daemon& daemon, const Connection& connection,
                                const Session& session,
                                const json::object& params);

// Who asks, for calls and approvals.
Requester requester_of(const Connection& connection);

// The session as its owner sees it; without the token.
json::object to_json(const Session& session);

}  // namespace toolhost
