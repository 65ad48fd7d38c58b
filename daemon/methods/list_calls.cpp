// listCalls: live calls first, then the newest that are over.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

constexpr std::int64_t kPage = 200;

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object& params) {
  Fields in(params, "params");
  const auto state = in.optional_string("state");
  const auto session = in.optional_string("sessionId");
  const auto limit = in.optional_int("limit", 1, kPage).value_or(kPage);
  const auto cursor = in.optional_string("cursor");
  if (in.error()) return *in.error();
  json::array calls;
  json::object out;
  bool passed_cursor = !cursor;
  for (const LiveCallPtr& live : daemon.calls.list()) {
    const Call& call = *live->call;
    if (!passed_cursor) {
      passed_cursor = call.id == *cursor;
      continue;
    }
    if (!may_use(connection, call.session->id)) continue;
    if (session && call.session->id != *session) continue;
    if (state && name(call.state) != *state) continue;
    if (static_cast<std::int64_t>(calls.size()) == limit) {
      out["nextCursor"] = calls.back().at("callId");
      break;
    }
    calls.push_back(summary(call));
  }
  out["calls"] = std::move(calls);
  return json_text(out);
}

}  // namespace

const MethodDefinition list_calls_method{
    .name = "listCalls", .roles = kCaller | kObserver | kApprover, .now = run};

}  // namespace toolhost
