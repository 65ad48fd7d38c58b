#include "daemon/access.hpp"

#include "gates/workspace_trust.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

bool from_our_children(const Daemon& daemon, const Connection& connection) {
  return descends_from(connection.peer(), daemon.self);
}

Error session_required(std::string why) {
  return make_error(
      Code::session_required,
      "There is no implicit session for this connection: " + std::move(why),
      "Attach to a session with attachSession {sessionId, "
      "token}.");
}

Error no_such_session(const std::string& id) {
  return make_error(Code::session_not_found,
                    "There is no session \"" + id + "\" here.",
                    "Use the id that openSession or attachSession gave.");
}

Result<SessionPtr> implicit_session(Daemon& daemon, Connection& connection,
                                    const std::string& workspace) {
  if (SessionPtr known = daemon.implicit_sessions.find(connection, workspace)) {
    connection.sessions.insert(known->id);
    return known;
  }
  if (connection.kind() == SocketKind::caller) {
    if (!daemon.config->sessions.implicit) {
      return session_required(
          "the configuration says so "
          "(sessions.implicit).");
    }
    if (from_our_children(daemon, connection)) {
      return session_required("the daemon started this process.");
    }
  }
  const auto limit = static_cast<std::size_t>(daemon.config->limits.sessions);
  if (daemon.implicit_sessions.count(connection) >=
      ImplicitSessions::kMaxPerProcess) {
    return make_error(Code::quota_exceeded,
                      "This process works in " +
                          std::to_string(ImplicitSessions::kMaxPerProcess) +
                          " workspaces already.",
                      "Use openSession and closeSession for so many.");
  }
  if (daemon.sessions.size() >= limit) daemon.implicit_sessions.prune();
  if (daemon.sessions.size() >= limit) {
    return make_error(Code::quota_exceeded,
                      std::to_string(limit) + " sessions are open already.",
                      "Close some, or raise limits.sessions.");
  }
  Policy policy;
  policy.mode = daemon.config->sessions.mode;
  policy.sandbox = daemon.config->sessions.sandbox;
  policy.approvals = daemon.config->sessions.approvals;
  const bool control = is_control(connection);
  if (!workspace.empty()) {
    auto root = usable_root(workspace, control, daemon.parts.own_folders);
    if (!root) return root.error();
    policy.roots.push_back(*root);
  }
  SessionPtr session = daemon.sessions.open(
      std::move(policy),
      ImplicitSessions::id_for(ImplicitSessions::owner(connection, workspace)));
  session->implicit = true;
  session->owner = ImplicitSessions::owner(connection, workspace);
  session->from_control = control;
  session->opened_by = connection.id();
  session->created_at = rfc3339(daemon.clock.wall());
  daemon.implicit_sessions.add(connection, workspace, session);
  connection.sessions.insert(session->id);
  return session;
}

}  // namespace

bool is_control(const Connection& connection) {
  return connection.kind() == SocketKind::control &&
         connection.has_role(kApprover | kObserver | kAdmin);
}

bool may_use(const Connection& connection, const std::string& session_id) {
  return is_control(connection) || connection.sessions.contains(session_id);
}

Result<SessionPtr> session_for(Daemon& daemon, Connection& connection,
                               const json::object& params) {
  Fields in(params, "params");
  const auto id = in.optional_string("sessionId");
  const auto workspace = in.optional_string("workspace");
  if (in.error()) return *in.error();
  if (id) {
    SessionPtr session = daemon.sessions.find(*id);
    if (!session || session->closing || !may_use(connection, *id)) {
      return no_such_session(*id);
    }
    return session;
  }
  if (connection.kind() == SocketKind::caller) {
    const auto bound = daemon.sessions.bound(connection.peer().ancestry);
    if (bound) {
      SessionPtr session = daemon.sessions.find(*bound);
      if (!session || session->closing) return no_such_session(*bound);
      connection.sessions.insert(*bound);
      return session;
    }
  }
  return implicit_session(daemon, connection,
                          workspace.value_or(connection.workspace));
}

Result<PolicyWish> wish_of_call(Daemon& daemon, const Connection& connection,
                                const Session& session,
                                const json::object& params) {
  Fields in(params, "params");
  const auto workspace = in.optional_string("workspace");
  const json::object* context = in.optional_object("context");
  if (in.error()) return *in.error();
  PolicyWish wish;
  if (context) {
    auto parsed = parse_wish(*context, "params.context");
    if (!parsed) return parsed.error();
    wish = std::move(*parsed);
  }
  // Of an implicit session the workspace is the session's own.
  if (workspace && !session.implicit) {
    auto root = usable_root(*workspace, is_control(connection),
                            daemon.parts.own_folders);
    if (!root) return root.error();
    Policy narrowed = narrow(session.policy,
                             PolicyWish{{{*root}}, {}, {}, {}, {}, {}, {}, {}});
    if (narrowed.roots.size() != 1 || narrowed.roots.front() != *root) {
      return make_error(Code::invalid_params,
                        "params.workspace \"" + *workspace +
                            "\" is outside the session's roots.",
                        "Leave it out, or name a folder inside them.");
    }
    wish.roots = {{*root}};
  }
  return wish;
}

Requester requester_of(const Connection& connection) {
  Requester out;
  out.connection_id = connection.id();
  out.client_name = connection.client.name;
  out.client_version = connection.client.version;
  out.process = connection.peer().process;
  out.ancestry = connection.peer().ancestry;
  out.exe = connection.peer().exe;
  return out;
}

json::object to_json(const Session& session) {
  json::object out;
  out["sessionId"] = session.id;
  if (!session.title.empty()) out["title"] = session.title;
  if (!session.parent.empty()) out["parentSessionId"] = session.parent;
  out["implicit"] = session.implicit;
  out["fromControl"] = session.from_control;
  out["createdAt"] = session.created_at;
  out["liveCalls"] = session.live_calls;
  out["policy"] = to_json(session.policy);
  return out;
}

}  // namespace toolhost
