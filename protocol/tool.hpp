// Tool: what a catalogue entry says about itself.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "protocol/policy.hpp"

namespace toolhost {

namespace json = boost::json;

// The ten kinds of provider.
enum class ProviderKind {
  builtin,
  mcp,
  web,
  skill,
  memory,
  gui,
  delegation,
  image,
  audio,
  video
};
std::string_view name(ProviderKind kind);

// MCP's hints; defaults are MCP's, which assume the worst.
struct Annotations {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
};

struct Tool {
  std::string name;
  std::string provider;
  ProviderKind provider_kind = ProviderKind::builtin;
  std::string title;
  std::string description;
  json::object input_schema;
  Annotations annotations;
  ToolPolicy policy = ToolPolicy::on_request;
  ToolKind kind = ToolKind::tool_call;
  // Callable, but in no list: an old name kept for old prompts.
  bool hidden = false;
  // May run in plan and ask mode and in a workspace that is not yet trusted:
  // reads files below the roots and has no other effect.
  bool pure_read = false;
};

json::object to_json(const Tool& tool);

// SHA-256 over {name, description, inputSchema}: what a model sees. Changes of
// policy or kind do not change it.
std::string definition_hash(const Tool& tool);

}  // namespace toolhost
