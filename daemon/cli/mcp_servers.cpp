// toolhost mcp-servers: the servers of others, how they are, and starting one
// anew.
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"ACTION", "list, show NAME, or restart NAME", false},
    {"NAME", "The server, as it is called in the configuration", false},
};
// A first start may install something.
constexpr Milliseconds kRestartLimit{600'000};
constexpr std::string_view kPrefix = "mcp:";

std::string provider_of(const std::string& typed) {
  return typed.starts_with(kPrefix) ? typed : std::string(kPrefix) + typed;
}

std::vector<const json::object*> servers_in(const json::object& listed) {
  std::vector<const json::object*> out;
  for (const json::value& item : array_at(listed, "providers")) {
    const json::object* provider = item.if_object();
    if (provider && text_at(*provider, "kind") == "mcp") {
      out.push_back(provider);
    }
  }
  return out;
}

int list(Invocation& invocation, const json::object& listed) {
  Table table;
  table.head = {"SERVER", "STATE", "TOOLS", "RESTARTS", "PROTOCOL", "REASON"};
  for (const json::object* server : servers_in(listed)) {
    const json::object& details = object_at(*server, "details");
    table.rows.push_back({text_at(*server, "name").substr(kPrefix.size()),
                          text_at(*server, "state"), text_at(*server, "tools"),
                          text_at(*server, "restarts"),
                          text_at(details, "protocolVersion"),
                          text_at(*server, "reason")});
  }
  if (table.rows.empty()) {
    invocation.console.note(
        "No servers are configured (mcpServers in the configuration file).");
    return kOk;
  }
  invocation.console.table(table);
  return kOk;
}

int show(Invocation& invocation, const json::object& listed,
         const std::string& name) {
  for (const json::object* server : servers_in(listed)) {
    if (text_at(*server, "name") != name) continue;
    if (invocation.globals.json) {
      invocation.console.json(*server);
    } else {
      invocation.console.print(pretty_json(*server) + "\n");
    }
    return kOk;
  }
  return usage(invocation, "There is no server " + name + ".",
               "`toolhost mcp-servers` lists them.");
}

int restart(Invocation& invocation, Client& client, const std::string& name) {
  json::object params;
  params["name"] = name;
  const auto result =
      client.call("restartProvider", params,
                  invocation.globals.timeout.value_or(kRestartLimit));
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
  } else {
    invocation.console.line(name + " is " + text_at(*result, "state") +
                            " with " + text_at(*result, "tools") + " tools");
  }
  return kOk;
}

int run_mcp_servers(Invocation& invocation) {
  std::string action = invocation.arguments.get("ACTION");
  if (action.empty()) action = "list";
  const std::string typed = invocation.arguments.get("NAME");
  if (action != "list" && action != "show" && action != "restart") {
    return usage(invocation, "mcp-servers takes list, show or restart, not " +
                                 action + ".");
  }
  if (action != "list" && typed.empty()) {
    return usage(invocation, "Which server?",
                 "`toolhost mcp-servers` lists them.");
  }
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  const std::string name = provider_of(typed);
  if (action == "restart") return restart(invocation, *client, name);
  const auto listed =
      client->call("listProviders", {}, request_limit(invocation.globals));
  if (!listed) return fail(invocation, listed.error());
  if (action == "show") return show(invocation, *listed, name);
  if (!invocation.globals.json) return list(invocation, *listed);
  json::object out;
  json::array servers;
  for (const json::object* server : servers_in(*listed)) {
    servers.emplace_back(*server);
  }
  out["servers"] = std::move(servers);
  invocation.console.json(out);
  return kOk;
}

}  // namespace

extern const Command kMcpServers;
const Command kMcpServers{
    .name = "mcp-servers",
    .summary = "List the servers of others, or start one anew",
    .arguments = kArguments,
    .options = {},
    .takes_tool_flags = false,
    .run = run_mcp_servers,
};

}  // namespace toolhost::cli
