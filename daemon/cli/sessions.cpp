// toolhost sessions: the agents' conversations and what each may do.
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

int run_sessions(Invocation& invocation) {
  auto result = request(invocation.globals, "listSessions");
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
    return kOk;
  }
  Table table;
  table.head = {"SESSION", "MODE", "SANDBOX", "APPROVALS", "WORKSPACE"};
  for (const json::value& item : array_at(*result, "sessions")) {
    if (!item.is_object()) continue;
    const json::object& session = item.get_object();
    const json::object& nested = object_at(session, "policy");
    const json::object& policy = nested.empty() ? session : nested;
    // The first root is the workspace.
    const json::array& roots = array_at(policy, "roots");
    const std::string workspace = roots.empty() || !roots.front().is_string()
                                      ? text_at(session, "workspace")
                                      : std::string(roots.front().get_string());
    table.rows.push_back({text_at(session, "sessionId"),
                          text_at(policy, "mode"),
                          text_at(policy, "sandboxMode"),
                          text_at(policy, "approvalPolicy"), workspace});
  }
  invocation.console.table(table);
  return kOk;
}

}  // namespace

extern const Command kSessions;
const Command kSessions{
    .name = "sessions",
    .summary = "List open sessions",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_sessions,
};

}  // namespace toolhost::cli
