#include "providers/mcp/tool_list.hpp"

#include <algorithm>
#include <set>

#include "protocol/digest.hpp"
#include "protocol/json_schema.hpp"
#include "protocol/text.hpp"
#include "providers/mcp/names.hpp"

namespace toolhost::mcp {
namespace {

using std::string_view;

constexpr std::size_t kShownName = 128;
constexpr std::size_t kMaxTitle = 200;

std::string text_member(const json::object& object, string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_string()) return {};
  return std::string(value->get_string());
}

bool flag(const json::object& object, string_view name, bool otherwise) {
  const json::value* value = object.if_contains(name);
  return value && value->is_bool() ? value->get_bool() : otherwise;
}

Annotations read_annotations(const json::object& entry) {
  Annotations out;
  const json::value* value = entry.if_contains("annotations");
  if (!value || !value->is_object()) return out;
  const json::object& hints = value->get_object();
  out.read_only = flag(hints, "readOnlyHint", out.read_only);
  // What only reads destroys nothing.
  out.destructive =
      flag(hints, "destructiveHint", out.destructive) && !out.read_only;
  out.idempotent = flag(hints, "idempotentHint", out.idempotent);
  out.open_world = flag(hints, "openWorldHint", out.open_world);
  return out;
}

std::string read_title(const json::object& entry, const std::string& raw) {
  std::string title = text_member(entry, "title");
  const json::value* hints = entry.if_contains("annotations");
  if (title.empty() && hints && hints->is_object()) {
    title = text_member(hints->get_object(), "title");
  }
  if (title.empty()) title = raw;
  return display_text(utf8_prefix(title, kMaxTitle));
}

std::string read_description(const json::object& entry) {
  std::string text = display_text(text_member(entry, "description"), true);
  if (text.size() <= kMaxDescription) return text;
  return std::string(utf8_prefix(text, kMaxDescription)) +
         "\n[The description goes on; it was cut here.]";
}

// The policy without trust is to ask, whatever the server says of itself.
ToolPolicy policy_of(const Annotations& hints, bool trusted) {
  if (!trusted || hints.destructive) return ToolPolicy::on_request;
  if (hints.open_world) return ToolPolicy::untrusted;
  return hints.read_only ? ToolPolicy::automatic : ToolPolicy::on_request;
}

// An object schema that compiles, or why there is none.
Result<json::object> read_schema(const json::object& entry) {
  json::object schema;
  if (const json::value* value = entry.if_contains("inputSchema")) {
    if (!value->is_object()) {
      return make_error(Code::internal, "its inputSchema is no object");
    }
    schema = value->get_object();
  }
  if (!schema.contains("type")) schema["type"] = "object";
  const json::value& type = schema["type"];
  if (!type.is_string() || type.get_string() != "object") {
    return make_error(Code::internal,
                      "its inputSchema describes something else than an "
                      "object of arguments");
  }
  if (auto compiled = JsonSchema::compile(schema); !compiled) {
    return make_error(Code::internal, "its inputSchema cannot be used: " +
                                          compiled.error().message);
  }
  return schema;
}

// Names of variables only: another value of a token is the same server.
std::string identity_of(const config::McpServer& server, const Tool& tool,
                        const std::string& raw_name) {
  json::object who;
  who["server"] = server.name;
  who["command"] = server.command;
  who["args"] = json::value_from(server.args);
  who["cwd"] = server.cwd;
  who["url"] = server.url;
  json::array names;
  for (const auto& variable : server.env) names.emplace_back(variable.first);
  who["env"] = std::move(names);
  who["tool"] = raw_name;
  who["description"] = tool.description;
  who["schema"] = tool.input_schema;
  constexpr std::size_t kPrefix = 7;  // "sha256:"
  return json_digest(who).substr(kPrefix, 16);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Why the user's own lists leave it out; empty: they do not.
std::string not_wanted(const config::McpServer& server,
                       const std::string& name) {
  if (contains(server.disabled_tools, name)) {
    return "the configuration leaves it out (disabledTools)";
  }
  if (!server.enabled_tools.empty() && !contains(server.enabled_tools, name)) {
    return "the configuration names others only (enabledTools)";
  }
  return {};
}

class Reader {
 public:
  Reader(const config::McpServer& server, string_view provider, ToolList& out)
      : server_(server), provider_(provider), out_(out) {}

  void read(const json::value& value) {
    const json::object* entry = value.if_object();
    const std::string raw = entry ? text_member(*entry, "name") : "";
    if (raw.empty()) return leave_out("", "an entry without a name");
    if (!seen_.insert(raw).second) {
      return leave_out(raw, "the list has this name already");
    }
    if (auto why = not_wanted(server_, raw); !why.empty()) {
      return leave_out(raw, std::move(why));
    }
    auto schema = read_schema(*entry);
    if (!schema) return leave_out(raw, schema.error().message);
    RemoteTool row;
    row.raw_name = raw;
    row.tool.provider = provider_;
    row.tool.provider_kind = ProviderKind::mcp;
    row.tool.title = read_title(*entry, raw);
    row.tool.description = read_description(*entry);
    row.tool.input_schema = std::move(*schema);
    row.tool.annotations = read_annotations(*entry);
    const Annotations& hints = row.tool.annotations;
    row.tool.policy = policy_of(hints, server_.trust_annotations);
    row.tool.pure_read =
        server_.trust_annotations && hints.read_only && !hints.open_world;
    row.identity = identity_of(server_, row.tool, raw);
    out_.tools.push_back(std::move(row));
  }

 private:
  void leave_out(const std::string& raw, std::string reason) {
    Unavailable row;
    row.raw_name = display_text(utf8_prefix(raw, kShownName));
    row.reason = std::move(reason);
    out_.unavailable.push_back(std::move(row));
  }

  const config::McpServer& server_;
  const std::string provider_;
  ToolList& out_;
  std::set<std::string> seen_;
};

}  // namespace

ToolList read_tools(const json::array& entries, const config::McpServer& server,
                    string_view part, string_view provider) {
  ToolList out;
  Reader reader(server, provider, out);
  for (const json::value& entry : entries) reader.read(entry);
  std::vector<std::string> raw;
  for (const RemoteTool& row : out.tools) raw.push_back(row.raw_name);
  const auto names = tool_names(part, raw);
  for (std::size_t i = 0; i < names.size(); ++i) {
    out.tools[i].tool.name = names[i];
    if (names[i] != tool_name(part, raw[i])) {
      out.notes.push_back("The tool \"" + display_text(raw[i]) +
                          "\" would have the name of another one; it is "
                          "called " +
                          names[i] + ".");
    }
  }
  return out;
}

}  // namespace toolhost::mcp
