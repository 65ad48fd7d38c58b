// cancel: ends a call. Idempotent; the reply does not wait for the end.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object& params) {
  Fields in(params, "params");
  const std::string id = in.required_string("callId");
  const std::string reason = in.optional_string("reason").value_or("");
  if (in.error()) return *in.error();
  const LiveCallPtr live = daemon.calls.find(id);
  if (!live || !may_use(connection, live->call->session->id)) {
    return make_error(Code::call_not_found,
                      "There is no call \"" + id + "\" here.",
                      "listCalls has the calls that are known.");
  }
  if (!live->done->ready()) {
    std::string why = is_control(connection) ? "A person cancelled the call"
                                             : "The caller cancelled the call";
    // A reason is quoted for a model; a page of it would not help.
    constexpr std::size_t kLongest = 500;
    if (!reason.empty()) {
      why += ": " + std::string(utf8_prefix(reason, kLongest));
    } else {
      why += ".";
    }
    live->call->stop.request(std::move(why));
  }
  json::object out;
  out["callId"] = id;
  out["state"] = name(live->call->state);
  return json_text(out);
}

}  // namespace

const MethodDefinition cancel_method{.name = "cancel",
                                     .roles = kCaller | kApprover | kAdmin,
                                     .reserved_slot = true,
                                     .now = run};

}  // namespace toolhost
