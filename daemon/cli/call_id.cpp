#include "daemon/cli/call_id.hpp"

namespace toolhost::cli {

Result<std::string> find_call_id(Client& client, const Globals& globals,
                                 const std::string& typed) {
  constexpr std::size_t kMost = 2000;
  json::object params;
  params["limit"] = 200;
  auto calls = collect(client, "listCalls", params, "calls", kMost,
                       request_limit(globals));
  if (!calls) {
    if (calls.error().code == Code::forbidden) return typed;
    return calls.error();
  }
  return complete_id(*calls, "callId", typed, "call_");
}

}  // namespace toolhost::cli
