#include "providers/mcp/server_requests.hpp"

#include <array>

#include "protocol/json_text.hpp"
#include "protocol/message.hpp"

namespace toolhost::mcp {
namespace {

struct Row {
  std::string_view method;
  // The result; empty: refused.
  std::string_view result;
  std::string_view refusal;
};

constexpr std::array<Row, 4> kRows{
    Row{"ping", "{}", ""},
    // One process serves every session: the folders of one must not become
    // reachable from another, so it gets none.
    Row{"roots/list", R"({"roots":[]})", ""},
    Row{"sampling/createMessage", "",
        "There is no model behind this client: toolhost runs tools. Return "
        "the text to the caller and let its model go on."},
    Row{"elicitation/create", "",
        "This client cannot ask a person for input in the middle of a call. "
        "Take what you need as arguments of the tool."},
};

std::string refuse(const std::string& id, std::string_view message) {
  std::string out = R"({"jsonrpc":"2.0","id":)" + id +
                    R"(,"error":{"code":-32601,"message":)";
  append_json_string(out, message);
  out += "}}";
  return out;
}

}  // namespace

std::string answer_server_request(const Message& request) {
  for (const Row& row : kRows) {
    if (row.method != request.method) continue;
    if (!row.result.empty()) return reply_text(request.request_id, row.result);
    return refuse(request.request_id, row.refusal);
  }
  return refuse(request.request_id,
                "This client does not offer \"" + request.method + "\".");
}

}  // namespace toolhost::mcp
