// toolhost reload: the daemon reads its configuration again.
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

void print_list(Console& console, const std::string& before,
                const json::array& names) {
  for (const json::value& item : names) {
    if (item.is_string()) {
      console.line(before + std::string(item.get_string()));
    }
  }
}

int run_reload(Invocation& invocation) {
  auto result = request(invocation.globals, "reloadConfig");
  if (!result) return fail(invocation, result.error());
  const json::array& errors = array_at(*result, "errors");
  if (invocation.globals.json) {
    invocation.console.json(*result);
    return errors.empty() ? kOk : kConfig;
  }
  print_list(invocation.console, "changed ", array_at(*result, "changed"));
  print_list(invocation.console,
             "after a restart: ", array_at(*result, "needsRestart"));
  for (const std::string_view key : {"warnings", "errors"}) {
    for (const json::value& item : array_at(*result, key)) {
      invocation.console.note(item.is_string() ? std::string(item.get_string())
                                               : pretty_json(item));
    }
  }
  return errors.empty() ? kOk : kConfig;
}

}  // namespace

extern const Command kReload;
const Command kReload{
    .name = "reload",
    .summary = "Make the daemon read its configuration again",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_reload,
};

}  // namespace toolhost::cli
