#include "providers/mcp/provider.hpp"

#include "protocol/text.hpp"

namespace toolhost::mcp {
namespace {

CallError gone(std::string_view tool) {
  return make_call_error(
      CallErrorKind::tool_disabled,
      "The server does not have the tool " + std::string(tool) + " any more.",
      "Call listTools for what there is now.");
}

json::object hints_of(const Annotations& annotations) {
  json::object out;
  out["readOnlyHint"] = annotations.read_only;
  out["destructiveHint"] = annotations.destructive;
  out["idempotentHint"] = annotations.idempotent;
  out["openWorldHint"] = annotations.open_world;
  return out;
}

}  // namespace

McpProvider::McpProvider(Host host, config::McpServer config, std::string part)
    : name_(provider_name(config.name)),
      server_(std::make_shared<Server>(std::move(host), std::move(config),
                                       std::move(part), name_)) {
  server_->on_change = [this] {
    if (on_change) on_change();
  };
}

McpProvider::~McpProvider() { server_->on_change = nullptr; }

std::string McpProvider::provider_name(std::string_view server) {
  return "mcp:" + std::string(server);
}

Task<Result<void>> McpProvider::start() {
  server_->begin();
  co_return Result<void>();
}

Task<void> McpProvider::stop() { return Server::stop(server_); }

Task<Result<void>> McpProvider::restart() { return Server::restart(server_); }

std::vector<Tool> McpProvider::tools(const config::Config&) const {
  std::vector<Tool> out;
  for (const RemoteTool& row : server_->tools().tools) out.push_back(row.tool);
  return out;
}

std::string McpProvider::unavailable(std::string_view tool) const {
  return find(tool) ? "" : gone(tool).message;
}

const RemoteTool* McpProvider::find(std::string_view tool) const {
  for (const RemoteTool& row : server_->tools().tools) {
    if (row.tool.name == tool) return &row;
  }
  return nullptr;
}

Outcome<Resolution> McpProvider::resolve(std::string_view tool,
                                         const json::object&,
                                         const ToolContext& context) {
  const RemoteTool* row = find(tool);
  if (!row) return gone(tool);
  const config::McpServer& server = server_->config();
  // The server is a program of its own: nothing keeps it from writing but its
  // own word, which counts only if the user said so.
  if (context.sandbox == SandboxMode::read_only && !row->tool.pure_read) {
    return make_call_error(
        CallErrorKind::sandbox_read_only,
        "The session is read-only, and nothing keeps the server \"" +
            server.name + "\" from writing.",
        "Use the tools that read and search files instead.");
  }
  Resolution out;
  // Another program's state has its own locks: one slow server must not hold
  // up the file tools or another server.
  out.accesses.emplace();
  PermissionAsk ask;
  ask.permission = row->tool.name;
  // A permission is bound to the definition that was shown: with another
  // description, schema or command line it is another one.
  ask.pattern = "definition-" + row->identity;
  ask.remember = ask.pattern;
  out.asks.push_back(std::move(ask));
  out.subject["type"] = "tool";
  out.subject["server"] = server.name;
  out.subject["tool"] = display_text(row->raw_name);
  out.subject["definition"] = row->identity;
  out.subject["hints"] = hints_of(row->tool.annotations);
  out.subject["hintsTrusted"] = server.trust_annotations;
  out.title = "Call " + row->tool.title + " of the server " + server.name;
  return out;
}

Task<ToolOutput> McpProvider::call(std::string tool, json::object arguments,
                                   const ExecutionContext& context) {
  const RemoteTool* row = find(tool);
  if (!row) co_return ToolOutput::failure(gone(tool));
  RemoteTool copy = *row;
  co_return co_await Server::call(server_, std::move(copy),
                                  std::move(arguments), context);
}

}  // namespace toolhost::mcp
