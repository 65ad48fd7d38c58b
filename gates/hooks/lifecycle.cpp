#include "gates/hooks/lifecycle.hpp"

namespace toolhost {
namespace {

using config::Hook;
using config::HookPhase;
using Decision = HookAnswer::Decision;

void note(std::vector<HookNote>& notes, const Hook& hook, std::string text) {
  if (!text.empty()) notes.push_back({hook.name, std::move(text)});
}

// False: the turn must not begin.
bool take(LifecycleResult& out, const Hook& hook, HookRun run) {
  ++out.hooks;
  HookAnswer& answer = run.answer;
  if (!run.failure.empty()) {
    if (!hook.fail_closed) {
      note(out.warnings, hook, std::move(run.failure));
      return true;
    }
    out.failed = true;
    out.reason = "The hook \"" + hook.name + "\", which guards every prompt, " +
                 run.failure + ".";
  } else if (answer.decision == Decision::deny && is_guard(hook.phase)) {
    out.reason = answer.message;
  } else {
    note(out.context, hook, std::move(answer.context));
    note(out.warnings, hook, std::move(answer.message));
    return true;
  }
  out.denied = true;
  out.denied_by = hook.name;
  return false;
}

bool only_observes(const Hook& hook) {
  return !hook.workflow.empty() && hook.mode == config::HookMode::observe;
}

Task<LifecycleResult> ask_guards(Hooks& hooks, std::vector<Hook> list,
                                 HookEvent event, Stop& stop) {
  LifecycleResult out;
  for (const Hook& hook : list) {
    if (only_observes(hook)) {
      hooks.observe(hook, event);
      ++out.hooks;
      continue;
    }
    HookRun run = co_await hooks.run(hook, event, stop);
    if (run.cancelled) {
      out.cancelled = true;
      break;
    }
    if (!take(out, hook, std::move(run))) break;
  }
  co_return out;
}

Task<void> tell_one(Hooks& hooks, Hook hook, HookEvent event, Stop& stop,
                    LifecycleResult& out) {
  HookRun run = co_await hooks.run(hook, std::move(event), stop);
  if (run.cancelled) {
    out.cancelled = true;
  } else {
    (void)take(out, hook, std::move(run));
  }
}

}  // namespace

Task<LifecycleResult> run_lifecycle(Hooks& hooks, std::vector<Hook> list,
                                    HookEvent event, Stop& stop) {
  if (is_guard(event.phase)) {
    LifecycleResult guarded =
        co_await ask_guards(hooks, std::move(list), std::move(event), stop);
    co_return guarded;
  }
  LifecycleResult out;
  TaskGroup group(hooks.loop(), "lifecycle hooks");
  for (const Hook& hook : list) {
    group.spawn(tell_one(hooks, hook, event, stop, out));
  }
  co_await group.join();
  co_return out;
}

}  // namespace toolhost
