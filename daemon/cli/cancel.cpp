// toolhost cancel: stop a call.
#include "daemon/cli/call_id.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"ID", "The call, or the beginning of its id", true, false,
     Completes::call},
};

constexpr OptionSpec kOptions[] = {
    {"--reason", "TEXT", "Told to the agent"},
};

int run_cancel(Invocation& invocation) {
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  auto id =
      find_call_id(*client, invocation.globals, invocation.arguments.get("ID"));
  if (!id) return fail(invocation, id.error());
  json::object params;
  params["callId"] = *id;
  if (invocation.arguments.has("--reason")) {
    params["reason"] = invocation.arguments.get("--reason");
  }
  auto result =
      client->call("cancel", params, request_limit(invocation.globals));
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
  } else {
    invocation.console.line(*id + " " + text_at(*result, {"state", "status"}));
  }
  return kOk;
}

}  // namespace

extern const Command kCancel;
const Command kCancel{
    .name = "cancel",
    .summary = "Cancel a call",
    .arguments = kArguments,
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_cancel,
};

}  // namespace toolhost::cli
