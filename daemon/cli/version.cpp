// toolhost version: of this program, and of the daemon if it runs.
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

int run_version(Invocation& invocation) {
  std::string daemon;
  auto path = socket_path(invocation.globals);
  if (path) {
    auto client = Client::connect(*path);
    // status answers before initialize, whatever the version.
    if (client) {
      auto status =
          client->call("status", {}, request_limit(invocation.globals));
      if (status) daemon = text_at(*status, "version");
    }
  }
  if (invocation.globals.json) {
    json::object out;
    out["client"] = kVersion;
    out["daemon"] = daemon.empty() ? json::value() : json::value(daemon);
    invocation.console.json(out);
    return kOk;
  }
  Table table;
  table.head = {"PROGRAM", "VERSION"};
  table.rows.push_back({"toolhost", std::string(kVersion)});
  table.rows.push_back({"toolhostd", daemon.empty() ? "not running" : daemon});
  invocation.console.table(table);
  return kOk;
}

}  // namespace

extern const Command kVersionCommand;
const Command kVersionCommand{
    .name = "version",
    .summary = "Print the versions of both sides",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_version,
};

}  // namespace toolhost::cli
