#include "providers/builtin/provider.hpp"

#include <algorithm>

#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

const ToolDefinition* find(std::string_view name) {
  for (const ToolDefinition* tool : tools()) {
    if (tool->name == name) return tool;
  }
  return nullptr;
}

CallError no_such_tool(std::string_view tool) {
  return make_call_error(
      CallErrorKind::tool_disabled,
      "There is no builtin tool " + std::string(tool) + " in this build.");
}

Tool describe(const ToolDefinition& row, const config::Config& config) {
  Tool tool;
  tool.name = row.name;
  tool.provider = "builtin";
  tool.provider_kind = ProviderKind::builtin;
  tool.title = row.title;
  tool.description = row.description(config);
  tool.input_schema = json::parse(row.schema).as_object();
  tool.annotations = row.annotations;
  tool.policy = row.policy;
  tool.kind = row.kind;
  tool.hidden = row.hidden;
  tool.pure_read = row.pure_read;
  return tool;
}

}  // namespace

Task<Result<void>> BuiltinProvider::start() {
  status_.state = "ready";
  co_return Result<void>();
}

Task<void> BuiltinProvider::stop() {
  status_.state = "stopped";
  co_return;
}

std::vector<Tool> BuiltinProvider::tools(const config::Config& config) const {
  std::vector<Tool> out;
  for (const ToolDefinition* row : builtin::tools()) {
    out.push_back(describe(*row, config));
  }
  return out;
}

std::string BuiltinProvider::unavailable(std::string_view) const { return {}; }

Outcome<Resolution> BuiltinProvider::resolve(std::string_view tool,
                                             const json::object& arguments,
                                             const ToolContext& context) {
  const ToolDefinition* row = find(tool);
  if (!row) return no_such_tool(tool);
  return row->resolve(arguments, context);
}

Task<ToolOutput> BuiltinProvider::call(std::string tool, json::object arguments,
                                       const ExecutionContext& context) {
  const ToolDefinition* row = find(tool);
  if (!row) co_return ToolOutput::failure(no_such_tool(tool));
  co_return co_await row->run(std::move(arguments), context);
}

}  // namespace toolhost::builtin
