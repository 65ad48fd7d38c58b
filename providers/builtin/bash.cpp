// bash: runs a command with /bin/bash and tells what it wrote.

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/text.hpp"
#include "providers/builtin/bash_report.hpp"
#include "providers/builtin/bash_run.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

// The kernel takes at most 128 KiB in one argument (MAX_ARG_STRLEN).
constexpr std::size_t kMaxCommandBytes = 128 * 1024 - 1;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "command": {
      "type": "string",
      "minLength": 1,
      "description": "The command line, run by /bin/bash -c."
    },
    "cwd": {
      "type": "string",
      "minLength": 1,
      "description": "The folder to run it in, inside the workspace. Default: the session's folder."
    },
    "timeoutMs": {
      "type": "integer",
      "minimum": 1,
      "description": "After this time the command and everything it started are ended."
    },
    "description": {
      "type": "string",
      "description": "What the command is for, in a few words."
    },
    "outsideSandbox": {
      "type": "boolean",
      "default": false,
      "description": "Ask the person to run it without the sandbox: only after the sandbox stopped it."
    }
  },
  "required": ["command"],
  "additionalProperties": false
})";

std::string kilobytes(std::size_t bytes) {
  return std::to_string(bytes / 1024) + " KiB";
}

std::string describe(const config::Config& config) {
  const config::BashTool& limits = config.tools.bash;
  return "Runs a command with /bin/bash (no login, no profile) and returns "
         "its standard output and standard error as one text, in the order "
         "written. There is no terminal and standard input is empty: programs "
         "that ask for a password, an editor or an answer fail at once. The "
         "command is ended, with everything it started, after timeoutMs "
         "(default " +
         std::to_string(limits.default_timeout.count()) + ", at most " +
         std::to_string(limits.max_timeout.count()) +
         "). Processes that it leaves in the background go on until the "
         "session closes; their pids are named. Of long output the first " +
         kilobytes(limits.head_bytes) + " and the last " +
         kilobytes(limits.tail_bytes) +
         " are returned and the whole is kept to be read in parts. An exit "
         "code other than 0 is an error. Where the system can, commands run in "
         "a sandbox: they write in the workspace and in /tmp (kept for the "
         "session), not elsewhere, and have no network. Use read, edit, write, "
         "glob and grep for files instead of cat, sed, find or grep.";
}

std::string_view text_argument(const json::object& arguments,
                               std::string_view name) {
  const json::value* value = arguments.if_contains(name);
  if (!value || !value->is_string()) return {};
  return std::string_view(value->as_string().data(), value->as_string().size());
}

CallError invalid(std::string message, std::string hint = {}) {
  return make_call_error(CallErrorKind::invalid_arguments, std::move(message),
                         std::move(hint));
}

// What is shown has to be what runs: whatever exec would cut is refused.
Outcome<std::string> command_of(const json::object& arguments) {
  const std::string_view command = text_argument(arguments, "command");
  if (command.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return invalid("The command is empty.");
  }
  if (command.find('\0') != std::string_view::npos) {
    return invalid("The command holds a NUL byte, which no program can get.",
                   "Remove it; printf '\\0' writes one.");
  }
  if (command.size() > kMaxCommandBytes) {
    return invalid("The command has " + std::to_string(command.size()) +
                       " bytes; the system takes at most " +
                       std::to_string(kMaxCommandBytes) + ".",
                   "Write it to a file and run that.");
  }
  return std::string(command);
}

Outcome<Milliseconds> timeout_of(const json::object& arguments,
                                 const config::BashTool& limits) {
  const json::value* value = arguments.if_contains("timeoutMs");
  if (!value || value->is_null()) return limits.default_timeout;
  boost::system::error_code error;
  const auto wanted = value->to_number<std::int64_t>(error);
  if (error || wanted < 1 || wanted > limits.max_timeout.count()) {
    return invalid("timeoutMs has to be a whole number from 1 to " +
                       std::to_string(limits.max_timeout.count()) + ".",
                   "Start what runs longer in the background with &, its "
                   "output in a file.");
  }
  return Milliseconds(wanted);
}

Outcome<ResolvedPath> folder_of(const json::object& arguments,
                                const ToolContext& context) {
  std::string_view wanted = text_argument(arguments, "cwd");
  if (wanted.empty()) wanted = context.cwd;
  if (wanted.empty()) wanted = context.workspace.primary();
  Outcome<ResolvedPath> folder = context.workspace.resolve(wanted, context.cwd);
  if (folder && !folder->exists) {
    return invalid("The folder " + folder->physical + " does not exist.",
                   "Give an existing folder as cwd.");
  }
  return folder;
}

bool wants_out(const json::object& arguments) {
  const json::value* out = arguments.if_contains("outsideSandbox");
  return out && out->is_bool() && out->get_bool();
}

// Under danger-full-access a person chose that nothing is confined.
bool is_confined(const json::object& arguments, const ToolContext& context) {
  return context.sandbox == SandboxMode::workspace_write &&
         context.confinement &&
         context.confinement->strength != SandboxStrength::none &&
         !wants_out(arguments);
}

// What always asks, whatever rules say; empty: nothing.
std::string always_ask(const json::object& arguments,
                       const ToolContext& context) {
  if (context.sandbox != SandboxMode::workspace_write) return {};
  if (wants_out(arguments)) {
    return "It would run outside the sandbox, with all that you may do.";
  }
  if (!context.confinement) return "Commands cannot be confined here.";
  if (context.confinement->enforced()) return {};
  return context.confinement->summary;
}

Outcome<Resolution> resolve(const json::object& arguments,
                            const ToolContext& context) {
  const Outcome<std::string> command = command_of(arguments);
  if (!command) return command.error();
  const Outcome<Milliseconds> timeout =
      timeout_of(arguments, context.config.tools.bash);
  if (!timeout) return timeout.error();
  const Outcome<ResolvedPath> folder = folder_of(arguments, context);
  if (!folder) return folder.error();

  Resolution out;
  // A command may touch anything: it runs alone.
  out.accesses = std::nullopt;
  out.asks.push_back(PermissionAsk{"bash", *command, ""});
  out.command = *command;
  out.always_ask = always_ask(arguments, context);
  const bool confined = is_confined(arguments, context);
  out.confined = confined && context.confinement->enforced();
  out.title = "Run a command in " + display_text(folder->physical);
  out.subject["type"] = "command";
  out.subject["command"] = *command;
  out.subject["cwd"] = folder->physical;
  out.subject["timeoutMs"] = timeout->count();
  out.subject["sandbox"] =
      confined ? context.confinement->summary : std::string("none");
  return out;
}

ProcessSpec spec_of(const std::string& command, const ResolvedPath& folder,
                    int folder_fd, const config::BashTool& limits) {
  ProcessSpec spec;
  // "--": a command may begin with a dash.
  spec.argv = {"/bin/bash", "--noprofile", "--norc", "-c", "--", command};
  spec.env = child_environment(limits.environment);
  spec.cwd = folder.physical;
  spec.cwd_fd = folder_fd;
  spec.merge_stderr = true;
  return spec;
}

ToolOutput failure(CallErrorKind kind, const Error& error) {
  return ToolOutput::failure(make_call_error(kind, error.message, error.hint));
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  const config::BashTool& limits = context.tool.config.tools.bash;
  if (context.stop.requested()) {
    co_return ToolOutput::failure(
        make_call_error(CallErrorKind::cancelled, context.stop.reason()));
  }
  const Outcome<std::string> command = command_of(arguments);
  if (!command) co_return ToolOutput::failure(command.error());
  const Outcome<Milliseconds> timeout = timeout_of(arguments, limits);
  if (!timeout) co_return ToolOutput::failure(timeout.error());
  const Outcome<ResolvedPath> folder = folder_of(arguments, context.tool);
  if (!folder) co_return ToolOutput::failure(folder.error());
  // By descriptor: the folder that was checked is the one that is entered.
  const Outcome<UniqueFd> fd =
      context.tool.workspace.open(*folder, O_PATH | O_DIRECTORY);
  if (!fd) co_return ToolOutput::failure(fd.error());

  ProcessSpec spec = spec_of(*command, *folder, fd->get(), limits);
  if (is_confined(arguments, context.tool)) {
    auto profile = confine(*context.tool.confinement,
                           context.tool.workspace.roots(), context.session_id);
    if (!profile)
      co_return failure(CallErrorKind::sandbox_denied, profile.error());
    spec.sandbox = std::move(*profile);
  }
  Result<std::unique_ptr<ChildProcess>> child =
      ChildProcess::spawn(context.loop, spec);
  if (!child) co_return failure(CallErrorKind::tool_failed, child.error());
  const Milliseconds limit =
      std::min(*timeout, context.timeout.value_or(*timeout));
  CommandRun running(context, std::move(*child), limit);
  const CommandResult result = co_await running.finish();
  ToolOutput output =
      report_command(result, running.output(), context.stop.reason());
  if (spec.sandbox) note_denial(output, result, *spec.sandbox);
  co_return output;
}

}  // namespace

constinit const ToolDefinition bash_tool{
    .name = "bash",
    .title = "Run a command",
    .description = describe,
    .schema = kSchema,
    .example = R"({"command":"git status --short","timeoutMs":10000})",
    .annotations = {.read_only = false,
                    .destructive = true,
                    .idempotent = false,
                    .open_world = true},
    .policy = ToolPolicy::on_request,
    .kind = ToolKind::command_execution,
    .hidden = false,
    .pure_read = false,
    .resolve = resolve,
    .run = run,
};

}  // namespace toolhost::builtin
