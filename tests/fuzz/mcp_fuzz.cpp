// What a server of others writes: the same lines however they are cut into
// chunks, messages or noise out of each, tools out of whatever a list holds.
// The first byte of the input is the size of the chunks.
#include <algorithm>
#include <string>
#include <vector>

#include "protocol/json_text.hpp"
#include "protocol/text.hpp"
#include "providers/mcp/line_splitter.hpp"
#include "providers/mcp/tool_list.hpp"
#include "providers/mcp/wire.hpp"
#include "providers/registry.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using toolhost::fuzz::require;
using namespace toolhost;

constexpr std::size_t kMaxLine = 3000;

std::vector<std::string> lines_of(std::string_view bytes, std::size_t chunk) {
  mcp::LineSplitter splitter(kMaxLine);
  std::vector<std::string> out;
  while (!bytes.empty()) {
    const std::string_view next = bytes.substr(0, chunk);
    bytes.remove_prefix(next.size());
    splitter.append(next);
    while (const auto line = splitter.next()) {
      require(line->cut == (line->bytes > kMaxLine), "cut at another limit");
      out.push_back(std::string(line->text) + std::to_string(line->bytes));
      if (line->cut) mcp::id_of_cut_line(line->text);
    }
    require(splitter.unfinished().size() <= kMaxLine + chunk,
            "more held than the limit allows");
  }
  return out;
}

void read_list(const json::value& result) {
  const json::object* object = result.if_object();
  const json::value* tools = object ? object->if_contains("tools") : nullptr;
  if (!tools || !tools->is_array()) return;
  const mcp::ToolList list =
      mcp::read_tools(tools->get_array(), config::McpServer{}, "s", "mcp:s");
  for (const mcp::RemoteTool& row : list.tools) {
    require(is_tool_name(row.tool.name), "an illegal name");
    require(is_utf8(row.tool.description), "a description that is no UTF-8");
    require(bool(JsonSchema::compile(row.tool.input_schema)),
            "a schema that does not compile");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const std::size_t chunk = std::max<std::size_t>(1, data[0]);
  require(lines_of(bytes, chunk) == lines_of(bytes, size),
          "chunks change the lines");
  for (std::size_t at = 0; at < bytes.size();) {
    const auto end = std::min(bytes.find('\n', at), bytes.size());
    mcp::Parsed parsed = mcp::parse_line(bytes.substr(at, end - at));
    for (const mcp::Message& message : parsed.messages) {
      read_list(message.result);
    }
    at = end + 1;
  }
  return 0;
}
