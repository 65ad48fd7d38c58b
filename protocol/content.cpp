#include "protocol/content.hpp"

#include <utility>

#include "protocol/json_text.hpp"

namespace toolhost {

Content Content::text(std::string value) {
  Content out;
  out.value = std::move(value);
  return out;
}

Content Content::image(std::string mime_type, std::string base64) {
  Content out;
  out.type = Type::image;
  out.value = std::move(base64);
  out.mime_type = std::move(mime_type);
  return out;
}

ToolOutput ToolOutput::text(std::string value) {
  ToolOutput out;
  out.content.push_back(Content::text(std::move(value)));
  return out;
}

ToolOutput ToolOutput::failure(CallError error) {
  ToolOutput out;
  out.error = std::move(error);
  return out;
}

void append_content(std::string& out, const std::vector<Content>& content) {
  out += '[';
  bool first = true;
  for (const Content& block : content) {
    if (!std::exchange(first, false)) out += ',';
    switch (block.type) {
      case Content::Type::text:
        out += R"({"type":"text","text":)";
        append_json_string(out, block.value);
        break;
      case Content::Type::image:
        out += R"({"type":"image","mimeType":)";
        append_json_string(out, block.mime_type);
        out += R"(,"data":)";
        append_json_string(out, block.value);
        break;
      case Content::Type::resource_link:
        out += R"({"type":"resource_link","uri":)";
        append_json_string(out, block.value);
        break;
    }
    out += '}';
  }
  out += ']';
}

}  // namespace toolhost
