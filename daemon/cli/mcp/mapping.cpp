#include "daemon/cli/mcp/mapping.hpp"

#include "daemon/cli/json_read.hpp"
#include "protocol/version.hpp"

namespace toolhost::cli::mcp {
namespace {

void copy_text(json::object& to, const json::object& from,
               std::string_view name) {
  std::string text = text_at(from, name);
  if (!text.empty()) to[name] = std::move(text);
}

json::object text_block(std::string text) {
  json::object out;
  out["type"] = "text";
  out["text"] = std::move(text);
  return out;
}

json::object mcp_tool(const json::object& tool) {
  json::object out;
  copy_text(out, tool, "name");
  copy_text(out, tool, "title");
  copy_text(out, tool, "description");
  json::object schema = object_at(tool, "inputSchema");
  // Clients refuse the whole list for one schema without it.
  if (!schema.contains("type")) schema["type"] = "object";
  out["inputSchema"] = std::move(schema);
  const json::object& output = object_at(tool, "outputSchema");
  if (!output.empty()) out["outputSchema"] = output;
  const json::object& annotations = object_at(tool, "annotations");
  if (!annotations.empty()) out["annotations"] = annotations;
  return out;
}

json::object link_block(const std::string& uri, const std::string& name,
                        const std::string& mime_type) {
  json::object out;
  out["type"] = "resource_link";
  out["uri"] = uri;
  out["name"] = name;
  if (!mime_type.empty()) out["mimeType"] = mime_type;
  return out;
}

json::object mcp_block(const json::object& block, const Era& era) {
  if (text_at(block, "type") != "resource_link") return block;
  const std::string uri = text_at(block, "uri");
  if (!era.structured) return text_block("[" + uri + "]");
  std::string name = text_at(block, "name");
  if (name.empty()) name = uri.substr(uri.find_last_of('/') + 1);
  if (name.empty()) name = uri;
  return link_block(uri, name, text_at(block, "mimeType"));
}

bool says(const json::array& content, const std::string& message) {
  for (const json::value& each : content) {
    if (each.is_object() &&
        text_at(each.get_object(), "text").find(message) != std::string::npos) {
      return true;
    }
  }
  return false;
}

std::string words(const std::string& message, const std::string& hint) {
  return hint.empty() ? message : message + "\n" + hint;
}

void add_output_link(json::array& content, const json::object& output,
                     const Era& era) {
  const std::string artifact = text_at(output, "artifactId");
  if (artifact.empty()) return;
  const std::string uri = output_uri(artifact, 0);
  if (!era.structured) {
    content.push_back(text_block("[the whole output: " + uri + "]"));
    return;
  }
  json::object link = link_block(uri, "the whole output", {});
  if (const auto size = int_at(output, "totalBytes")) link["size"] = *size;
  content.push_back(std::move(link));
}

// The daemon's own words about a result, for programs.
json::object note_of(const json::object& executed) {
  json::object out;
  const auto put = [&out](std::string_view name, std::string value) {
    if (!value.empty()) out[name] = std::move(value);
  };
  put("toolhost/callId", text_at(executed, "callId"));
  put("toolhost/status", text_at(executed, "status"));
  put("toolhost/errorKind", text_at(object_at(executed, "error"), "kind"));
  return out;
}

}  // namespace

json::object server_info() {
  json::object out;
  out["name"] = "toolhost";
  out["title"] = "toolhost";
  out["version"] = kVersion;
  return out;
}

json::object finished(json::object result, const Era& era) {
  if (!era.stateless) return result;
  result["resultType"] = "complete";
  json::object meta = object_at(result, "_meta");
  meta[kServerInfoKey] = server_info();
  result["_meta"] = std::move(meta);
  return result;
}

json::object finished_list(json::object result, std::int64_t ttl_ms,
                           const Era& era) {
  if (era.stateless) {
    result["ttlMs"] = ttl_ms;
    // The list depends on the session's policy.
    result["cacheScope"] = "private";
  }
  return finished(std::move(result), era);
}

json::object tool_list(const json::object& listed, const Era& era) {
  json::array tools;
  for (const json::value& each : array_at(listed, "tools")) {
    if (!each.is_object()) continue;
    const json::object& tool = each.get_object();
    if (bool_at(tool, "available", true)) tools.push_back(mcp_tool(tool));
  }
  json::object out;
  out["tools"] = std::move(tools);
  copy_text(out, listed, "nextCursor");
  return finished_list(std::move(out), int_at(listed, "ttlMs").value_or(0),
                       era);
}

json::object call_result(const json::object& executed, const Era& era) {
  json::array content;
  for (const json::value& each : array_at(executed, "content")) {
    if (each.is_object()) content.push_back(mcp_block(each.get_object(), era));
  }
  const json::object& error = object_at(executed, "error");
  const std::string message = text_at(error, "message");
  if (!message.empty() && !says(content, message)) {
    content.push_back(text_block(words(message, text_at(error, "hint"))));
  }
  add_output_link(content, object_at(executed, "output"), era);
  json::object out;
  out["content"] = std::move(content);
  const json::value* structured = executed.if_contains("structuredContent");
  if (structured && structured->is_object() && era.structured) {
    out["structuredContent"] = *structured;
  }
  out["isError"] = bool_at(executed, "isError");
  json::object note = note_of(executed);
  if (!note.empty()) out["_meta"] = std::move(note);
  return finished(std::move(out), era);
}

json::object failed_call(const Error& error, const Era& era) {
  json::object out;
  out["content"] = json::array{text_block(words(error.message, error.hint))};
  out["isError"] = true;
  return finished(std::move(out), era);
}

}  // namespace toolhost::cli::mcp
