// toolhost socket-path: where the daemon is looked for.
#include "config/paths.hpp"
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

int run_socket_path(Invocation& invocation) {
  auto paths = config::find_paths(invocation.globals.socket, {});
  if (!paths) {
    Error error = paths.error();
    error.code = Code::config_invalid;
    return fail(invocation, error);
  }
  auto chosen = socket_path(invocation.globals);
  if (!chosen) return fail(invocation, chosen.error());
  if (invocation.globals.json) {
    json::object out;
    out["path"] = *chosen;
    out["control"] = paths->control_socket;
    out["caller"] = paths->caller_socket;
    out["reason"] = paths->socket_reason;
    invocation.console.json(out);
    return kOk;
  }
  invocation.console.line(*chosen);
  // Why is for a person; a script captures the path alone.
  if (invocation.console.traits().terminal_out) {
    invocation.console.note(paths->socket_reason);
  }
  return kOk;
}

}  // namespace

extern const Command kSocketPath;
const Command kSocketPath{
    .name = "socket-path",
    .summary = "Print the path of the daemon's socket",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_socket_path,
};

}  // namespace toolhost::cli
