// closeSession: ends a session, its calls, its questions, its children and what
// was remembered for it. Replies when all of that has ended.
#include "daemon/access.hpp"
#include "daemon/end_session.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  const std::string id = in.required_string("sessionId");
  if (in.error()) co_return request->fail(*in.error());
  const SessionPtr session = daemon.sessions.find(id);
  if (!session || session->closing || !may_use(*request->connection, id)) {
    co_return request->fail(make_error(
        Code::session_not_found, "There is no session \"" + id + "\" here.",
        "listSessions has those that are open."));
  }
  co_await end_session(daemon, session);
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
