// updateSession: the control side sets, a caller narrows.
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
  if (in.error()) return *in.error();
  const SessionPtr session = daemon.sessions.find(id);
  if (!session || session->closing || !may_use(connection, id)) {
    return make_error(Code::session_not_found,
                      "There is no session \"" + id + "\" here.",
                      "listSessions has those that are open.");
  }
  auto wish = parse_wish(params, "params");
  if (!wish) return wish.error();
  std::vector<Narrowed> cut;
  session->policy = is_control(connection)
                        ? replace(session->policy, *wish)
                        : narrow(session->policy, *wish, &cut);
  daemon.save_sessions();
  daemon.catalogue_watch.check();
  // A wider policy may answer what waits; a narrower one is judged at once by
  // every gate that comes later.
  daemon.approvals.judge_again();
  json::object out = to_json(*session);
  json::array narrowed;
  for (const Narrowed& each : cut) {
    json::object row;
    row["member"] = each.member;
    row["reason"] = each.reason;
    narrowed.push_back(std::move(row));
  }
  out["narrowed"] = std::move(narrowed);
  return json_text(out);
}

}  // namespace

const MethodDefinition update_session_method{
    .name = "updateSession", .roles = kCaller | kApprover, .now = run};

}  // namespace toolhost
