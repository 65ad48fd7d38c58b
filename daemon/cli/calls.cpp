// toolhost calls: what runs and what ran.
#include <cstdlib>

#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

constexpr std::int64_t kLimit = 100;

constexpr OptionSpec kOptions[] = {
    {"--limit", "N", "At most this many (default 100)"},
    {"--state", "STATE", "Only calls in this state"},
};

int run_calls(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  json::object params;
  if (arguments.has("--state")) params["state"] = arguments.get("--state");
  params["limit"] = kLimit;
  if (arguments.has("--limit")) {
    const int limit = std::atoi(arguments.get("--limit").c_str());
    if (limit <= 0) return usage(invocation, "--limit takes a number over 0.");
    params["limit"] = limit;
  }
  auto result = request(invocation.globals, "listCalls", params);
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
    return kOk;
  }
  Table table;
  table.head = {"CALL", "STATE", "TOOL", "CLIENT", "WORKSPACE"};
  for (const json::value& item : array_at(*result, "calls")) {
    if (!item.is_object()) continue;
    const json::object& call = item.get_object();
    std::string client =
        text_at(object_at(call, "requester"), {"clientName", "name"});
    if (client.empty()) client = text_at(call, "clientName");
    const json::object& tool = object_at(call, "tool");
    table.rows.push_back(
        {text_at(call, "callId"), text_at(call, "state"),
         tool.empty() ? text_at(call, {"tool", "name"}) : text_at(tool, "name"),
         client, text_at(call, "workspace")});
  }
  invocation.console.table(table);
  return kOk;
}

}  // namespace

extern const Command kCalls;
const Command kCalls{
    .name = "calls",
    .summary = "List running and recent calls",
    .arguments = {},
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_calls,
};

}  // namespace toolhost::cli
