// toolhost approvals: what waits for a person.
#include "daemon/cli/ages.hpp"
#include "daemon/cli/approval_find.hpp"

namespace toolhost::cli {
namespace {

std::string since(const std::optional<WallTime>& time, WallTime now) {
  if (!time) return {};
  return short_duration(std::chrono::duration_cast<Milliseconds>(now - *time));
}

std::string until(const std::optional<WallTime>& time, WallTime now) {
  if (!time) return "never";
  return short_duration(std::chrono::duration_cast<Milliseconds>(*time - now));
}

int run_approvals(Invocation& invocation) {
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  auto pending = pending_approvals(*client, invocation.globals);
  if (!pending) return fail(invocation, pending.error());
  if (invocation.globals.json) {
    json::object out;
    out["approvals"] = std::move(*pending);
    invocation.console.json(out);
    return kOk;
  }
  const WallTime now = std::chrono::system_clock::now();
  Table table;
  table.head = {"APPROVAL", "AGE", "LEFT", "CLIENT", "TOOL", "TITLE"};
  for (const json::value& item : *pending) {
    if (!item.is_object()) continue;
    const ShownApproval approval = read_approval(item.get_object());
    table.rows.push_back({approval.id, since(approval.created, now),
                          until(approval.expires, now), approval.requester,
                          approval.tool, approval.title});
  }
  invocation.console.table(table);
  return kOk;
}

}  // namespace

extern const Command kApprovals;
const Command kApprovals{
    .name = "approvals",
    .summary = "List what waits for an answer",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_approvals,
};

}  // namespace toolhost::cli
