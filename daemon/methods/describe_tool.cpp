// describeTool: one tool with its schema, and whether this session may use it.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "daemon/tool_names.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object& params) {
  Fields in(params, "params");
  const std::string wanted = in.required_string("name");
  if (in.error()) return *in.error();
  auto session = session_for(daemon, connection, params);
  if (!session) return session.error();
  auto wish = wish_of_call(daemon, connection, **session, params);
  if (!wish) return wish.error();
  const SnapshotPtr snapshot = daemon.registry.snapshot();
  const RegisteredTool* row = snapshot->find(wanted);
  if (!row) return tool_not_found(*snapshot, wanted);
  const Policy policy = narrow((*session)->policy, *wish);
  json::object out = to_json(row->tool);
  std::string why;
  if (auto reason = not_offered(*row, policy, *daemon.config, daemon.rules,
                                (*session)->id)) {
    why = *reason;
  } else if (auto mode = mode_refusal(row->tool, policy.mode)) {
    why = *mode;
  } else if (auto sandbox = sandbox_refusal(row->tool, policy.sandbox)) {
    why = sandbox->message;
  }
  out["available"] = why.empty();
  if (!why.empty()) out["unavailableReason"] = why;
  out["hidden"] = row->tool.hidden;
  out["definitionHash"] = row->definition_hash;
  out["effectivePolicy"] = to_json(policy);
  return json_text(out);
}

}  // namespace

const MethodDefinition describe_tool_method{
    .name = "describeTool", .roles = kCaller | kObserver, .now = run};

}  // namespace toolhost
