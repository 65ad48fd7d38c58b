// Asks: do the hooks after the tool replace, reject or comment the output?
// Refuses: hookDenied, hookFailed; both say that the tool has run.
// Adds: what the hooks make of output and state; tool_state.
// Why here: the effect is done and locked no more, its output not yet cut.
// The journal keeps how the tool itself ended, so that no retry runs it again.
#include "gates/gates.hpp"
#include "gates/hooks/builtin_hooks.hpp"
#include "gates/hooks/call_event.hpp"
#include "gates/hooks/hooks.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::gates {
namespace {

using config::HookPhase;
using Decision = HookAnswer::Decision;

// It ran to an end of its own: what was stopped or never began has no output
// that a hook could judge.
bool ran(const Call& call) {
  if (call.state == CallState::completed) return true;
  return call.state == CallState::failed && call.output.error &&
         call.output.error->kind != CallErrorKind::internal;
}

void set_error(Call& call, CallErrorKind kind, const std::string& hook,
               std::string message, std::string hint) {
  CallError error = make_call_error(kind, std::move(message), std::move(hint));
  error.details["hook"] = hook;
  call.output.error = std::move(error);
  call.state = CallState::failed;
}

// A hook that checks the output and could not: nobody sees it unchecked.
void withhold(Call& call, const std::string& hook, const std::string& why) {
  ToolOutput empty;
  call.output = std::move(empty);
  set_error(call, CallErrorKind::hook_failed, hook,
            "The tool has run, but its output is withheld: the hook \"" + hook +
                "\", which checks it, " + why + ".",
            "Do not run it again blindly: its effect is done. A person has to "
            "mend the hook.");
}

void replace_output(Call& call, const json::value& output) {
  ToolOutput& out = call.output;
  out.content.clear();
  out.structured.reset();
  // The kept whole is what the hook did not want to be seen.
  out.artifact.clear();
  out.truncated = false;
  out.total_bytes = 0;
  out.paged = false;
  if (output.is_null()) return;
  out.content.push_back(Content::text(output.is_string()
                                          ? std::string(output.get_string())
                                          : json_text(output)));
}

void set_is_error(Call& call, const std::string& hook, bool is_error,
                  const std::string& why) {
  if (!is_error) {
    // What another hook rejected stays rejected.
    const bool rejected = call.output.error &&
                          call.output.error->kind == CallErrorKind::hook_denied;
    if (rejected) return;
    call.output.error.reset();
    call.state = CallState::completed;
  } else if (!call.output.error) {
    set_error(call, CallErrorKind::tool_failed, hook,
              "The tool has run; the hook \"" + hook +
                  "\" takes its output for an error" +
                  (why.empty() ? "." : ": " + why),
              "Look at what it changed before you go on.");
  }
}

void take(Call& call, const std::string& hook, bool fail_closed, HookRun run) {
  if (run.cancelled) return;
  if (!run.failure.empty()) {
    if (fail_closed) withhold(call, hook, run.failure);
    return;
  }
  HookAnswer& answer = run.answer;
  if (answer.output) replace_output(call, *answer.output);
  if (answer.workflow_output) {
    if (!call.output.structured) call.output.structured.emplace();
    (*call.output.structured)["workflow_hook"] =
        std::move(*answer.workflow_output);
  }
  if (!answer.context.empty()) {
    call.hook_notes.push_back("[hook " + hook + "] " + answer.context);
  }
  if (answer.is_error) {
    set_is_error(call, hook, *answer.is_error, answer.message);
  }
  if (answer.decision == Decision::deny) {
    set_error(call, CallErrorKind::hook_denied, hook,
              "The tool has run; the hook \"" + hook +
                  "\" rejects the result: " + answer.message,
              "Its effect is done: mend what the hook names.");
    call.hook_notes.push_back("[hook " + hook + "] " + answer.message);
  }
}

Task<void> run_builtin(Call& call, Parts& parts) {
  for (const BuiltinHook* hook : builtin_hooks()) {
    if (hook->phase != HookPhase::post_tool_use ||
        !hook->wanted(call.tool->tool) || !is_on(*hook, call, parts)) {
      continue;
    }
    std::string name(hook->name);
    Task<HookRun> work = hook->run(call, parts, call.arguments);
    HookRun run = co_await parts.hooks->count(hook->phase, std::move(name),
                                              std::move(work));
    take(call, std::string(hook->name), false, std::move(run));
  }
}

// False: the call was cancelled meanwhile.
Task<void> run_configured(Call& call, Parts& parts) {
  const config::ConfigPtr now = parts.registry.snapshot()->config;
  HookEvent first;
  first.phase = HookPhase::post_tool_use;
  first.tool = call.tool_name;
  first.surface = call.requester.client_name;
  const std::vector<config::Hook> hooks =
      hooks_for(*call.snapshot->config, *now, first);
  for (const config::Hook& hook : hooks) {
    HookEvent event =
        call_event(call, HookPhase::post_tool_use, call.arguments);
    if (!hook.workflow.empty() && hook.mode == config::HookMode::observe) {
      parts.hooks->observe(hook, std::move(event));
      continue;
    }
    HookRun run = co_await parts.hooks->run(hook, std::move(event), call.stop);
    if (run.cancelled && hook.fail_closed) {
      withhold(call, hook.name, "was cancelled with the call");
      co_return;
    }
    take(call, hook.name, hook.fail_closed, std::move(run));
    const bool withheld = call.output.error &&
                          call.output.error->kind == CallErrorKind::hook_failed;
    if (withheld) co_return;
  }
}

}  // namespace

Task<void> post_hooks(Call& call, Parts& parts) {
  if (!ran(call)) co_return;
  if (parts.hooks) {
    call.tool_state = call.state;
    co_await run_builtin(call, parts);
    co_await run_configured(call, parts);
  }
  for (std::string& note : call.hook_notes) {
    if (call.output.content.empty() && call.output.error) {
      // A model reads content first: the error's words have to be there.
      call.output.content.push_back(Content::text(call.output.error->message));
    }
    call.output.content.push_back(Content::text(std::move(note)));
  }
  call.hook_notes.clear();
}

}  // namespace toolhost::gates
