// closeSession: ends a session, its calls, its questions, its children and what
// was remembered for it. Replies when all of that has ended.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "providers/builtin/bash_background.hpp"

namespace toolhost {
namespace {

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  const std::string id = in.required_string("sessionId");
  if (in.error()) co_return request->fail(*in.error());
  const SessionPtr session = daemon.sessions.find(id);
  if (!session || session->closing || !may_use(*request->connection, id)) {
    co_return request->fail(
        make_error(Code::session_not_found,
                   "There is no session \"" + id + "\" here.",
                   "listSessions has those that are open."));
  }
  session->closing = true;
  daemon.approvals.withdraw_session(id, "The session was closed.");
  daemon.calls.cancel_session(id, "The session was closed.");
  // The grace of a cancelled call bounds this wait.
  while (session->live_calls > 0) {
    co_await sleep_for(daemon.loop, Milliseconds(5));
  }
  co_await builtin::end_session_children(id);
  daemon.rules.forget_session(id);
  daemon.turns.end_session(id);
  daemon.artifacts->remove_session(id);
  daemon.sessions.close(id);
  daemon.save_sessions();
  request->connection->sessions.erase(id);
  json::object out;
  out["sessionId"] = id;
  out["closed"] = true;
  request->reply(out);
}

}  // namespace

const MethodDefinition close_session_method{
    .name = "closeSession", .roles = kCaller | kApprover, .later = run};

}  // namespace toolhost
