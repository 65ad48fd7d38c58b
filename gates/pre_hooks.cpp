// Asks: do the hooks before the tool object, or rewrite the arguments?
// Refuses: hookDenied; hookFailed when a guard could not do its work.
// Adds: hooked_arguments, hook_allows, hook_asks, hook_notes.
// Why here: before the arguments are checked, because a hook may rewrite them;
// after the gates that look at no argument, so that what is refused anyway
// starts no process. Whatever a hook says, every later gate still judges.
#include "gates/gates.hpp"
#include "gates/hooks/builtin_hooks.hpp"
#include "gates/hooks/call_event.hpp"
#include "gates/hooks/hooks.hpp"

namespace toolhost::gates {
namespace {

using config::HookPhase;
using Decision = HookAnswer::Decision;

CallError failed(const std::string& hook, const std::string& why) {
  CallError out = make_call_error(
      CallErrorKind::hook_failed,
      "Nothing was run: the hook \"" + hook + "\", which guards this call, " +
          why + ".",
      "A person has to mend it; toolhost status shows what hooks did.");
  out.details["hook"] = hook;
  return out;
}

CallError denied(const std::string& hook, const std::string& why) {
  CallError out = make_call_error(
      CallErrorKind::hook_denied,
      "Nothing was run: the hook \"" + hook + "\" says no" +
          (why.empty() ? "." : ": " + why),
      "Do it another way, or ask the person, who configured this hook.");
  out.details["hook"] = hook;
  return out;
}

// What is wrong with rewritten arguments; empty: nothing.
std::string rewrite_fault(const Call& call, const json::object& arguments) {
  const auto faults = call.tool->schema->validate(arguments);
  if (faults.empty()) return {};
  return "rewrote the arguments to what does not fit the tool: " +
         faults.front().path + " " + faults.front().message;
}

// Takes the answer of one hook over; nullopt: go on.
Refusal take(Call& call, Hooks& hooks, const std::string& hook,
             bool fail_closed, HookRun run) {
  if (run.cancelled || call.stop.requested()) {
    return make_call_error(CallErrorKind::cancelled, call.stop.reason(),
                           "Nothing was run.");
  }
  HookAnswer& answer = run.answer;
  std::optional<json::object> rewritten;
  if (run.failure.empty() && answer.arguments) {
    rewritten = plain_arguments(*answer.arguments, *call.tool);
    run.failure = rewrite_fault(call, *rewritten);
    if (!run.failure.empty()) {
      hooks.blame(HookPhase::pre_tool_use, hook, call.id, run.failure);
    }
  }
  if (!run.failure.empty()) {
    if (fail_closed) return failed(hook, run.failure);
    return std::nullopt;
  }
  if (answer.decision == Decision::deny) return denied(hook, answer.message);
  if (rewritten) {
    // An earlier allow was for other arguments.
    call.hook_allows = false;
    call.hooked_arguments = std::move(rewritten);
  }
  if (answer.decision == Decision::allow) call.hook_allows = true;
  if (answer.decision == Decision::ask) {
    call.hook_asks = "The hook \"" + hook + "\" wants a person to decide" +
                     (answer.message.empty() ? "." : ": " + answer.message);
  }
  if (!answer.context.empty()) {
    call.hook_notes.push_back("[hook " + hook + "] " + answer.context);
  }
  return std::nullopt;
}

const json::object& current(const Call& call) {
  return call.hooked_arguments ? *call.hooked_arguments : call.raw_arguments;
}

Task<void> run_builtin(Call& call, Parts& parts) {
  for (const BuiltinHook* hook : builtin_hooks()) {
    if (hook->phase != HookPhase::pre_tool_use ||
        !hook->wanted(call.tool->tool) || !is_on(*hook, call, parts)) {
      continue;
    }
    const json::object arguments = plain_arguments(current(call), *call.tool);
    std::string name(hook->name);
    Task<HookRun> work = hook->run(call, parts, arguments);
    HookRun run = co_await parts.hooks->count(hook->phase, std::move(name),
                                              std::move(work));
    (void)take(call, *parts.hooks, std::string(hook->name), false,
               std::move(run));
  }
}

}  // namespace

Task<Refusal> pre_hooks(Call& call, Parts& parts) {
  if (!parts.hooks) co_return std::nullopt;
  co_await run_builtin(call, parts);
  const config::ConfigPtr now = parts.registry.snapshot()->config;
  HookEvent first;
  first.phase = HookPhase::pre_tool_use;
  first.tool = call.tool_name;
  first.surface = call.requester.client_name;
  const std::vector<config::Hook> hooks =
      hooks_for(*call.snapshot->config, *now, first);
  for (const config::Hook& hook : hooks) {
    const json::object arguments = plain_arguments(current(call), *call.tool);
    HookEvent event = call_event(call, HookPhase::pre_tool_use, arguments);
    if (!hook.workflow.empty() && hook.mode == config::HookMode::observe) {
      parts.hooks->observe(hook, std::move(event));
      continue;
    }
    HookRun run = co_await parts.hooks->run(hook, std::move(event), call.stop);
    Refusal no =
        take(call, *parts.hooks, hook.name, hook.fail_closed, std::move(run));
    if (no) co_return no;
  }
  co_return std::nullopt;
}

}  // namespace toolhost::gates
