#include "daemon/cli/mcp/snippet.hpp"

#include <algorithm>
#include <array>

#include "daemon/cli/json_read.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::cli::mcp {
namespace {

// A call waits for a person; where a client's limit is an entry of its own, it
// is as long as the daemon's longest usual wait and then some.
constexpr int kCallSeconds = 3600;

struct Entry {
  const std::string& program;
  const std::vector<std::string>& arguments;
};

json::array strings(const std::vector<std::string>& items) {
  json::array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

std::string pretty(const json::object& object) {
  return pretty_json(json::value(object)) + "\n";
}

json::object command_and_args(const Entry& entry) {
  json::object out;
  out["command"] = entry.program;
  out["args"] = strings(entry.arguments);
  return out;
}

// {"<outer>": {"toolhost": server}}
std::string named(std::string_view outer, json::object server) {
  json::object servers;
  servers["toolhost"] = std::move(server);
  json::object out;
  out[outer] = std::move(servers);
  return pretty(out);
}

std::string mcp_servers(const Entry& entry) {
  return named("mcpServers", command_and_args(entry));
}

std::string vscode(const Entry& entry) {
  json::object server;
  server["type"] = "stdio";
  for (auto& member : command_and_args(entry)) {
    server[member.key()] = member.value();
  }
  return named("servers", std::move(server));
}

std::string zed(const Entry& entry) {
  json::object server;
  server["source"] = "custom";
  for (auto& member : command_and_args(entry)) {
    server[member.key()] = member.value();
  }
  server["env"] = json::object();
  return named("context_servers", std::move(server));
}

std::string opencode(const Entry& entry) {
  json::array command = strings(entry.arguments);
  command.insert(command.begin(), json::value(entry.program));
  json::object timeout;
  timeout["request"] = kCallSeconds * 1000;
  json::object server;
  server["type"] = "local";
  server["command"] = std::move(command);
  server["timeout"] = std::move(timeout);
  json::object servers;
  servers["toolhost"] = std::move(server);
  json::object mcp;
  mcp["servers"] = std::move(servers);
  json::object out;
  out["mcp"] = std::move(mcp);
  return pretty(out);
}

// A JSON string is a TOML basic string, too.
std::string codex(const Entry& entry) {
  std::string out = "[mcp_servers.toolhost]\ncommand = ";
  append_json_string(out, entry.program);
  out += "\nargs = [";
  for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
    if (i > 0) out += ", ";
    append_json_string(out, entry.arguments[i]);
  }
  out += "]\ntool_timeout_sec = " + std::to_string(kCallSeconds) + "\n";
  return out;
}

struct Row {
  std::string_view client;
  std::string (*text)(const Entry& entry);
  std::string_view where;
};

constexpr std::array kRows{
    Row{"claude", mcp_servers,
        "For Claude Code: .mcp.json in the project, or `claude mcp add-json "
        "--scope user toolhost` with the inner object."},
    Row{"codex", codex, "For Codex: ~/.codex/config.toml."},
    Row{"cursor", mcp_servers,
        "For Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json in the project."},
    Row{"opencode", opencode,
        "For opencode: opencode.json. Before its version 2 the server's name "
        "stands directly below \"mcp\", with a plain number as timeout."},
    Row{"vscode", vscode,
        "For VS Code: .vscode/mcp.json, or `MCP: Open User Configuration`."},
    Row{"zed", zed, "For Zed: settings.json."},
};

constexpr auto kClients = [] {
  std::array<std::string_view, kRows.size()> out{};
  for (std::size_t i = 0; i < kRows.size(); ++i) out[i] = kRows[i].client;
  return out;
}();

}  // namespace

std::span<const std::string_view> snippet_clients() { return kClients; }

Result<Snippet> config_snippet(std::string_view client,
                               const std::string& program,
                               const std::vector<std::string>& arguments) {
  const auto found =
      std::find_if(kRows.begin(), kRows.end(),
                   [client](const Row& row) { return row.client == client; });
  if (found == kRows.end()) {
    std::string known;
    for (const std::string_view each : kClients) {
      known += (known.empty() ? "" : ", ") + std::string(each);
    }
    return make_error(Code::invalid_params,
                      "There is no entry for \"" + std::string(client) + "\".",
                      "There is one for " + known +
                          "; most other clients take the one for claude.");
  }
  Snippet out;
  out.text = found->text(Entry{program, arguments});
  out.where = found->where;
  return out;
}

}  // namespace toolhost::cli::mcp
