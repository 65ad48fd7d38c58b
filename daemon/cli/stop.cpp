// toolhost stop: end the daemon, letting running calls finish.
#include "daemon/cli/ages.hpp"
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

constexpr OptionSpec kOptions[] = {
    {"--grace", "TIME", "How long running calls may take to finish"},
    {"--now", "", "Cancel running calls"},
};

int run_stop(Invocation& invocation) {
  json::object params;
  params["mode"] = invocation.arguments.has("--now") ? "now" : "drain";
  if (invocation.arguments.has("--grace")) {
    const auto grace = parse_duration(invocation.arguments.get("--grace"));
    if (!grace) {
      return usage(invocation, "--grace takes a duration like 10s or 1m.");
    }
    params["graceMs"] = grace->count();
  }
  auto result = request(invocation.globals, "shutdown", params);
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
  } else {
    invocation.console.line("Stopping. What waits for approval is kept.");
  }
  return kOk;
}

}  // namespace

extern const Command kStop;
const Command kStop{
    .name = "stop",
    .summary = "Stop the daemon",
    .arguments = {},
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_stop,
};

}  // namespace toolhost::cli
