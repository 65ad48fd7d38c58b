#include "gates/hooks/hooks.hpp"

#include <algorithm>
#include <exception>

#include "gates/hooks/command_hook.hpp"
#include "gates/hooks/workflow_hook.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

void log_failure(config::HookPhase phase, const std::string& hook,
                 const std::string& call, const std::string& why) {
  log_warn("a hook failed hook=\"" + hook +
           "\" phase=" + std::string(config::name(phase)) + " call=" + call +
           " error=" + why);
}

}  // namespace

Hooks::Hooks(asio::io_context& loop, const Clock& clock)
    : loop_(loop), clock_(clock), observers_(loop, "hooks") {}

// True: there is a place, and leave() gives it back. False: stopped.
Task<bool> Hooks::enter(Stop& stop) {
  if (stop.requested()) co_return false;
  if (running_ < kMaxRunning) {
    ++running_;
    co_return true;
  }
  const auto turn = std::make_shared<OneShot<bool>>(loop_);
  waiting_.push_back(turn);
  const std::function<void()> on_stop = [turn] { turn->set(false); };
  const Stop::Registration stopping = stop.on_request(on_stop);
  co_await turn->wait();
  // leave() handed its place over, or the stop came first.
  if (!turn->value()) std::erase(waiting_, turn);
  co_return turn->value();
}

void Hooks::leave() {
  while (!waiting_.empty()) {
    const auto next = waiting_.front();
    waiting_.pop_front();
    if (next->set(true)) return;
  }
  --running_;
}

Task<HookRun> Hooks::run(config::Hook hook, HookEvent event, Stop& stop) {
  const std::string call = event.call_id;
  const bool entered = co_await enter(stop);
  HookRun out;
  if (!entered) {
    out.cancelled = true;
    co_return out;
  }
  const SteadyTime began = clock_.steady();
  const config::HookPhase phase = hook.phase;
  const std::string name = hook.name;
  out = co_await run_now(std::move(hook), std::move(event), stop);
  leave();
  keep(phase, name, call, out, began);
  co_return out;
}

Task<HookRun> Hooks::run_now(config::Hook hook, HookEvent event, Stop& stop) {
  HookRun out;
  try {
    if (hook.workflow.empty()) {
      out = co_await run_command_hook(loop_, std::move(hook), std::move(event),
                                      stop);
    } else {
      out = co_await run_workflow_hook(loop_, std::move(hook), std::move(event),
                                       stop);
    }
  } catch (const std::exception& error) {
    out = hook_failure(std::string("failed in the daemon: ") + error.what());
  }
  co_return out;
}

Task<HookRun> Hooks::count(config::HookPhase phase, std::string hook,
                           Task<HookRun> work) {
  const SteadyTime began = clock_.steady();
  HookRun out;
  try {
    out = co_await std::move(work);
  } catch (const std::exception& error) {
    out = hook_failure(std::string("failed in the daemon: ") + error.what());
  }
  keep(phase, hook, {}, out, began);
  co_return out;
}

void Hooks::keep(config::HookPhase phase, const std::string& hook,
                 const std::string& call, const HookRun& run,
                 SteadyTime began) {
  if (run.cancelled) return;
  const auto spent = std::chrono::duration_cast<std::chrono::microseconds>(
      clock_.steady() - began);
  ledger_.add(phase, hook, run, static_cast<std::uint64_t>(spent.count()),
              rfc3339(clock_.wall()));
  if (!run.failure.empty()) log_failure(phase, hook, call, run.failure);
}

void Hooks::blame(config::HookPhase phase, const std::string& hook,
                  const std::string& call, const std::string& why) {
  ledger_.blame(phase, hook, why, rfc3339(clock_.wall()));
  log_failure(phase, hook, call, why);
}

void Hooks::observe(config::Hook hook, HookEvent event) {
  if (observers_.size() >= kMaxObserving || stop_.requested()) {
    HookRun dropped = hook_failure("was not run: too many run already");
    keep(hook.phase, hook.name, event.call_id, dropped, clock_.steady());
    return;
  }
  observers_.spawn(observe_now(std::move(hook), std::move(event)));
}

Task<void> Hooks::observe_now(config::Hook hook, HookEvent event) {
  (void)co_await run(std::move(hook), std::move(event), stop_);
}

Task<void> Hooks::stop() {
  stop_.request("The daemon is stopping.");
  co_await observers_.join();
}

}  // namespace toolhost
