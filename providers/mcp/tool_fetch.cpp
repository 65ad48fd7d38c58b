// tools/list to its end.
#include <set>

#include "protocol/text.hpp"
#include "providers/mcp/tool_list.hpp"

namespace toolhost::mcp {
namespace {

Error failed(const Answer& answer) {
  std::string why = answer.why;
  if (answer.kind == Answer::Kind::error) {
    why = "it answered \"" +
          display_text(utf8_prefix(answer.error.message, 200)) + "\" (" +
          std::to_string(answer.error.code) + ")";
  }
  return make_error(Code::provider_unavailable,
                    "Its tools could not be listed: " + why + ".");
}

// The cursor of the next page; nullopt when this is the last. An empty string
// is a cursor like any other.
std::optional<std::string> next_cursor(const json::object& page) {
  const json::value* cursor = page.if_contains("nextCursor");
  if (!cursor || !cursor->is_string()) return std::nullopt;
  return std::string(cursor->get_string());
}

}  // namespace

Task<Result<json::array>> fetch_tools(std::shared_ptr<Connection> connection,
                                      RequestLimits limits,
                                      std::vector<std::string>& notes) {
  json::array out;
  std::set<std::string> seen;
  std::optional<std::string> cursor;
  for (std::size_t page = 0; page < kMaxPages; ++page) {
    json::object params;
    if (cursor) params["cursor"] = *cursor;
    Answer answer = co_await Connection::request(connection, "tools/list",
                                                 std::move(params), limits);
    if (answer.kind != Answer::Kind::result) co_return failed(answer);
    json::object* result = answer.result.if_object();
    json::value* tools = result ? result->if_contains("tools") : nullptr;
    if (!tools || !tools->is_array()) {
      answer.why = "the answer has no list of tools";
      co_return failed(answer);
    }
    for (json::value& tool : tools->get_array()) {
      if (out.size() < kMaxTools) out.push_back(std::move(tool));
    }
    if (out.size() == kMaxTools) {
      notes.push_back("The list was cut at " + std::to_string(kMaxTools) +
                      " tools.");
      co_return out;
    }
    cursor = next_cursor(*result);
    if (!cursor) co_return out;
    if (!seen.insert(*cursor).second) {
      notes.emplace_back(
          "The list was cut: the server gives the same cursor again.");
      co_return out;
    }
  }
  notes.push_back("The list was cut at " + std::to_string(kMaxPages) +
                  " pages.");
  co_return out;
}

}  // namespace toolhost::mcp
