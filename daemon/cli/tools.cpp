// toolhost tools: what may be called, and with which arguments.
#include <unistd.h>

#include <filesystem>

#include "daemon/cli/dial.hpp"
#include "daemon/cli/schema_flags.hpp"

namespace toolhost::cli {
namespace {

constexpr std::size_t kMostTools = 20'000;

constexpr ArgumentSpec kArguments[] = {
    {"NAME", "Describe this tool", false, false, Completes::tool},
};

constexpr OptionSpec kOptions[] = {
    {"--provider", "NAME", "Only the tools of this provider"},
    {"--session", "ID", "As this session sees them"},
    {"--workspace", "DIR", "As they are in this folder", Completes::folder},
};

json::object list_params(const Invocation& invocation) {
  json::object params;
  const auto copy = [&](std::string_view option, std::string_view name) {
    const std::string value = invocation.arguments.get(option);
    if (!value.empty()) params[name] = value;
  };
  copy("--provider", "provider");
  copy("--session", "sessionId");
  const std::string workspace = invocation.arguments.get("--workspace");
  std::error_code ec;
  if (!workspace.empty()) {
    params["workspace"] = std::filesystem::absolute(workspace, ec).string();
  }
  return params;
}

int describe(Invocation& invocation, const std::string& name) {
  json::object params = list_params(invocation);
  params["name"] = name;
  auto tool = request(invocation.globals, "describeTool", params);
  if (!tool) return fail(invocation, tool.error());
  Console& console = invocation.console;
  if (invocation.globals.json) {
    console.json(*tool);
    return kOk;
  }
  const json::object& shown = *tool;
  console.line(text_at(shown, "name") + "  " + text_at(shown, "title"));
  console.line("provider " + text_at(shown, "provider") + ", policy " +
               text_at(shown, "policy"));
  if (!bool_at(shown, "available", true)) {
    console.line("unavailable: " +
                 text_at(shown, {"unavailableReason", "reason"}));
  }
  console.print("\n" + text_at(shown, "description") + "\n\n");
  for (const std::string& flag :
       describe_flags(object_at(shown, "inputSchema"))) {
    console.line("  " + flag);
  }
  return kOk;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

int list(Invocation& invocation) {
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  if (invocation.globals.json) {
    auto result = client->call("listTools", list_params(invocation),
                               request_limit(invocation.globals));
    if (!result) return fail(invocation, result.error());
    invocation.console.json(*result);
    return kOk;
  }
  auto tools = collect(*client, "listTools", list_params(invocation), "tools",
                       kMostTools, request_limit(invocation.globals));
  if (!tools) return fail(invocation, tools.error());
  Table table;
  table.head = {"NAME", "PROVIDER", "POLICY", "AVAILABLE", "DESCRIPTION"};
  for (const json::value& item : *tools) {
    if (!item.is_object()) continue;
    const json::object& tool = item.get_object();
    table.rows.push_back({text_at(tool, "name"), text_at(tool, "provider"),
                          text_at(tool, "policy"),
                          bool_at(tool, "available", true) ? "yes" : "no",
                          first_line(text_at(tool, "description"))});
  }
  invocation.console.table(table);
  return kOk;
}

int run_tools(Invocation& invocation) {
  const std::string name = invocation.arguments.get("NAME");
  return name.empty() ? list(invocation) : describe(invocation, name);
}

}  // namespace

extern const Command kTools;
const Command kTools{
    .name = "tools",
    .summary = "List the tools, or describe one",
    .arguments = kArguments,
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_tools,
};

}  // namespace toolhost::cli
