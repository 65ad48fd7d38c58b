// toolhost mcp: an MCP server on standard input and output, for any MCP client.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "config/paths.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/mcp/front_door.hpp"
#include "daemon/cli/mcp/preset.hpp"
#include "daemon/cli/mcp/snippet.hpp"
#include "daemon/cli/terminal.hpp"

namespace toolhost::cli {
namespace {

constexpr OptionSpec kOptions[] = {
    {"--config-snippet", "CLIENT",
     "Print the entry for claude, codex, cursor, opencode, vscode or zed"},
    {"--preset", "NAME",
     "Narrow what may run: ask, ask-always, ask-first, plan or read-only"},
    {"--read-only", "", "Change no files"},
    {"--workspace", "DIR",
     "Workspace (default: the client's first root, else the current folder)",
     Completes::folder},
};

// Empty when --workspace is not given.
Result<std::string> named_workspace(const Arguments& arguments) {
  if (!arguments.has("--workspace")) return std::string();
  const std::string folder = arguments.get("--workspace");
  std::error_code ec;
  const auto path = std::filesystem::canonical(folder, ec);
  if (ec) {
    return make_error(Code::invalid_params,
                      "The workspace " + folder + ": " + ec.message() + ".");
  }
  return path.string();
}

std::string current_folder() {
  std::error_code ec;
  return std::filesystem::current_path(ec).string();
}

// --socket and $TOOLHOST_SOCK name the daemon's socket; agents speak on the one
// beside it. Where only that one is, in a container, it may be named itself.
Result<std::string> agents_socket(const Globals& globals) {
  std::string named = globals.socket;
  const char* variable = std::getenv("TOOLHOST_SOCK");
  if (named.empty() && variable) named = variable;
  const std::filesystem::path path(named);
  if (path.filename() == "caller.sock" && path.is_absolute()) return named;
  auto paths = config::find_paths(globals.socket, {});
  if (!paths) {
    Error error = paths.error();
    error.code = Code::config_invalid;
    return error;
  }
  return paths->caller_socket;
}

int print_snippet(Invocation& invocation, const std::string& workspace) {
  const Arguments& arguments = invocation.arguments;
  std::vector<std::string> words{"mcp"};
  if (!invocation.globals.socket.empty()) {
    words.insert(words.end(), {"--socket", invocation.globals.socket});
  }
  if (!workspace.empty()) {
    words.insert(words.end(), {"--workspace", workspace});
  }
  if (arguments.has("--preset")) {
    words.insert(words.end(), {"--preset", arguments.get("--preset")});
  }
  if (arguments.has("--read-only")) words.emplace_back("--read-only");
  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  auto snippet = mcp::config_snippet(arguments.get("--config-snippet"),
                                     ec ? "toolhost" : self.string(), words);
  if (!snippet)
    return usage(invocation, snippet.error().message, snippet.error().hint);
  invocation.console.bytes(snippet->text);
  invocation.console.note(snippet->where);
  return kOk;
}

int run_mcp(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  auto workspace = named_workspace(arguments);
  if (!workspace) return fail(invocation, workspace.error());
  auto narrowing =
      mcp::narrowing(arguments.get("--preset"), arguments.has("--read-only"));
  if (!narrowing) {
    return usage(invocation, narrowing.error().message, narrowing.error().hint);
  }
  if (arguments.has("--config-snippet")) {
    return print_snippet(invocation, *workspace);
  }
  auto socket = agents_socket(invocation.globals);
  if (!socket) return fail(invocation, socket.error());
  if (invocation.console.traits().terminal_in) {
    invocation.console.note(
        "toolhost mcp speaks MCP on standard input and output: an MCP client "
        "starts it. `toolhost mcp --config-snippet claude` prints the entry.");
  }
  mcp::FrontDoorOptions options;
  options.socket = std::move(*socket);
  options.workspace = std::move(*workspace);
  options.folder = current_folder();
  options.narrowing = std::move(*narrowing);
  options.log = [&invocation](const std::string& line) {
    invocation.console.note("toolhost mcp: " + line);
  };
  // A client that has ended must not end us before the calls are cancelled.
  std::signal(SIGPIPE, SIG_IGN);
  SignalFd signals;
  mcp::FrontDoor(std::move(options), STDIN_FILENO, STDOUT_FILENO)
      .run(signals.fd());
  // What is not taken would end us when it is no longer blocked.
  while (signals.take() != 0) {
  }
  return kOk;
}

}  // namespace

extern const Command kMcp;
const Command kMcp{
    .name = "mcp",
    .summary = "Be an MCP server, so that any MCP client has the tools",
    .arguments = {},
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_mcp,
};

}  // namespace toolhost::cli
