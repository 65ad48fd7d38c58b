// Hooks: runs one hook after the other, with a limit on how many run at a
// time, and keeps count of what they did.
//
// What a verdict means for a call is decided by the steps (pre_hooks.cpp,
// post_hooks.cpp) and by lifecycle.cpp. Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "gates/hooks/answer.hpp"
#include "gates/hooks/event.hpp"
#include "gates/hooks/statistics.hpp"
#include "providers/support/one_shot.hpp"
#include "providers/support/stop.hpp"

namespace toolhost {

class Hooks {
 public:
  // Hooks that run at a time, in all; more wait. A flood of calls must not
  // become a flood of processes.
  static constexpr int kMaxRunning = 16;
  // Hooks that run unobserved at a time, waiting ones included; more are
  // dropped, and counted as failed.
  static constexpr std::size_t kMaxObserving = 256;

  Hooks(asio::io_context& loop, const Clock& clock);

  // Never throws; an exception is a failure of the hook.
  Task<HookRun> run(config::Hook hook, HookEvent event, Stop& stop);

  // Runs it beside the call; nobody waits for it.
  void observe(config::Hook hook, HookEvent event);

  // For hooks that are no processes: counts and times `work`.
  Task<HookRun> count(config::HookPhase phase, std::string hook,
                      Task<HookRun> work);

  // What the hook answered does not fit the call: a failure of its last run.
  void blame(config::HookPhase phase, const std::string& hook,
             const std::string& call, const std::string& why);

  // Ends what nobody waits for. After it nothing may be started.
  Task<void> stop();
  // Requested by stop(): for hooks that go on when their client is gone.
  Stop& until_stopped() { return stop_; }

  asio::io_context& loop() { return loop_; }

  json::array statistics(const config::Config& config) const {
    return ledger_.to_json(config);
  }

 private:
  Task<bool> enter(Stop& stop);
  void leave();
  Task<HookRun> run_now(config::Hook hook, HookEvent event, Stop& stop);
  Task<void> observe_now(config::Hook hook, HookEvent event);
  void keep(config::HookPhase phase, const std::string& hook,
            const std::string& call, const HookRun& run, SteadyTime began);

  asio::io_context& loop_;
  const Clock& clock_;
  HookLedger ledger_;
  int running_ = 0;
  std::deque<std::shared_ptr<OneShot<bool>>> waiting_;
  Stop stop_;
  TaskGroup observers_;
};

}  // namespace toolhost
