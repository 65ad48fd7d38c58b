// HookAnswer: what a hook said, read strictly. README.md has both tables.
//
// Of a guard only one JSON object, or nothing at all, is an answer; anything
// else is a failure, because text before a verdict must not make a "no"
// unreadable and so a "yes".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/hook.hpp"
#include "protocol/error.hpp"
#include "providers/support/child_process.hpp"

namespace toolhost {

struct HookAnswer {
  enum class Decision { none, allow, ask, deny };
  Decision decision = Decision::none;
  // Why, for the agent and the person.
  std::string message;
  // PreToolUse: the arguments to go on with.
  std::optional<json::object> arguments;
  // PostToolUse: the output to go on with (JSON null: none), and whether it
  // is an error.
  std::optional<json::value> output;
  std::optional<bool> is_error;
  // Text for the agent.
  std::string context;
  // PostToolUse: what a workflow adds to the structured content.
  std::optional<json::value> workflow_output;
};

// How one run of one hook ended.
struct HookRun {
  HookAnswer answer;
  // "exited with 1: …": the end of a sentence that begins with the hook's
  // name. Empty: it did its work.
  std::string failure;
  bool timed_out = false;
  // The call was cancelled meanwhile; nothing else is set.
  bool cancelled = false;
};

HookRun hook_failure(std::string what);

// One JSON object with white space around it and nothing else, no key twice in
// one object, at most 64 levels deep; otherwise nullopt, and `why` says why.
std::optional<json::object> read_one_object(std::string_view text,
                                            std::string& why);

// What standard output of a hook that ended well says.
HookRun read_hook_answer(config::HookPhase phase, std::string_view text);

// What the end of a command says, with the bounded end of its standard error.
HookRun read_hook_exit(config::HookPhase phase, const ExitStatus& status,
                       std::string_view output, std::string_view errors);

}  // namespace toolhost
