// Content blocks of a result, in MCP's shapes, and the output of a tool.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost {

struct Content {
  enum class Type { text, image, resource_link };
  Type type = Type::text;
  // The text (any bytes: made valid when written), the base64 of an image, or
  // the URI of a link.
  std::string value;
  std::string mime_type;

  static Content text(std::string value);
  static Content image(std::string mime_type, std::string base64);
};

// What a tool returns. A tool that failed sets `error`; content may still
// hold what it has (the tail of a failed command's output).
struct ToolOutput {
  std::vector<Content> content;
  // Facts for programs; never repeats long text of `content`.
  std::optional<json::object> structured;
  std::optional<CallError> error;
  // The whole output, when content is a window of it.
  std::string artifact;
  std::uint64_t total_bytes = 0;
  bool truncated = false;
  // The tool pages by itself (read): the output budget does not cut it.
  bool paged = false;

  ToolOutput() = default;
  static ToolOutput text(std::string value);
  static ToolOutput failure(CallError error);
};

// Appends `[{"type":"text",…},…]`.
void append_content(std::string& out, const std::vector<Content>& content);

}  // namespace toolhost
