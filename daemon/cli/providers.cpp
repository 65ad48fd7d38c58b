// toolhost providers: where the tools come from and how they are.
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

int run_providers(Invocation& invocation) {
  auto result = request(invocation.globals, "listProviders");
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
    return kOk;
  }
  Table table;
  table.head = {"PROVIDER", "KIND", "STATE", "TOOLS", "REASON"};
  for (const json::value& item : array_at(*result, "providers")) {
    if (!item.is_object()) continue;
    const json::object& provider = item.get_object();
    const json::array& tools = array_at(provider, "tools");
    table.rows.push_back({text_at(provider, "name"), text_at(provider, "kind"),
                          text_at(provider, "state"),
                          tools.empty() ? text_at(provider, "tools")
                                        : std::to_string(tools.size()),
                          text_at(provider, {"reason", "lastError"})});
  }
  invocation.console.table(table);
  return kOk;
}

}  // namespace

extern const Command kProviders;
const Command kProviders{
    .name = "providers",
    .summary = "List the providers of tools",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_providers,
};

}  // namespace toolhost::cli
