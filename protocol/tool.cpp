#include "protocol/tool.hpp"

#include <array>

#include "protocol/digest.hpp"

namespace toolhost {

std::string_view name(ProviderKind kind) {
  constexpr std::array<std::string_view, 10> kNames{
      "builtin", "mcp",        "web",   "skill", "memory",
      "gui",     "delegation", "image", "audio", "video"};
  return kNames[static_cast<std::size_t>(kind)];
}

json::object to_json(const Tool& tool) {
  json::object annotations;
  annotations["readOnlyHint"] = tool.annotations.read_only;
  annotations["destructiveHint"] = tool.annotations.destructive;
  annotations["idempotentHint"] = tool.annotations.idempotent;
  annotations["openWorldHint"] = tool.annotations.open_world;
  json::object out;
  out["name"] = tool.name;
  out["provider"] = tool.provider;
  out["providerKind"] = name(tool.provider_kind);
  out["title"] = tool.title;
  out["description"] = tool.description;
  out["inputSchema"] = tool.input_schema;
  out["annotations"] = std::move(annotations);
  out["kind"] = name(tool.kind);
  out["policy"] = name(tool.policy);
  return out;
}

std::string definition_hash(const Tool& tool) {
  json::object seen;
  seen["name"] = tool.name;
  seen["description"] = tool.description;
  seen["inputSchema"] = tool.input_schema;
  return json_digest(seen);
}

}  // namespace toolhost
