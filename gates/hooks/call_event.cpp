#include "gates/hooks/call_event.hpp"

#include "gates/envelope.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

// Of each block of the output; the rest is in the artifact or the file.
constexpr std::size_t kBlockBytes = 256 * 1024;

json::array content_json(const std::vector<Content>& content) {
  json::array out;
  for (const Content& block : content) {
    json::object row;
    switch (block.type) {
      case Content::Type::text:
        row["type"] = "text";
        row["text"] = to_utf8(utf8_prefix(block.value, kBlockBytes));
        if (block.value.size() > kBlockBytes) row["truncated"] = true;
        break;
      case Content::Type::image:
        // Nobody checks a picture on standard input.
        row["type"] = "image";
        row["mimeType"] = block.mime_type;
        row["bytes"] = block.value.size();
        break;
      case Content::Type::resource_link:
        row["type"] = "resource_link";
        row["uri"] = block.value;
        break;
    }
    out.push_back(std::move(row));
  }
  return out;
}

json::object output_json(const ToolOutput& output) {
  json::object out;
  out["content"] = content_json(output.content);
  out["isError"] = output.error.has_value();
  if (output.error) out["error"] = to_json(*output.error);
  if (output.structured) out["structuredContent"] = *output.structured;
  return out;
}

}  // namespace

json::object plain_arguments(const json::object& raw,
                             const RegisteredTool& tool) {
  std::vector<std::string> notes;
  const json::object& schema = tool.tool.input_schema;
  json::object out = unwrap_arguments(raw, schema, notes);
  apply_aliases(out, schema);
  tool.schema->add_defaults(out);
  return out;
}

json::object common_payload(config::HookPhase phase, const Session& session,
                            const Policy& policy, const std::string& turn_id,
                            const std::string& client) {
  json::object out;
  out["hook_event_name"] = config::name(phase);
  out["session_id"] = session.id;
  if (!turn_id.empty()) out["turn_id"] = turn_id;
  const std::string root = policy.roots.empty() ? "" : policy.roots.front();
  out["cwd"] = root;
  out["workspace"] = root;
  out["session_mode"] = name(policy.mode);
  out["sandbox_mode"] = name(policy.sandbox);
  out["approval_policy"] = name(policy.approvals);
  out["client"] = client;
  return out;
}

HookEvent call_event(const Call& call, config::HookPhase phase,
                     const json::object& arguments) {
  HookEvent out;
  out.phase = phase;
  out.tool = call.tool_name;
  out.surface = call.requester.client_name;
  if (!call.policy.roots.empty()) out.workspace = call.policy.roots.front();
  out.call_id = call.id;
  out.payload = common_payload(phase, *call.session, call.policy, call.turn_id,
                               out.surface);
  if (!call.cwd.empty()) out.payload["cwd"] = call.cwd;
  out.payload["call_id"] = call.id;
  out.payload["tool_name"] = call.tool_name;
  out.payload["tool_kind"] = name(call.tool->tool.kind);
  out.payload["provider"] = call.tool->tool.provider;
  out.payload["tool_input"] = arguments;
  if (phase == config::HookPhase::post_tool_use) {
    out.payload["tool_output"] = output_json(call.output);
  }
  return out;
}

}  // namespace toolhost
