// The phases around the calls: an agent tells of them with runHooks.
#pragma once

#include "gates/hooks/hooks.hpp"

namespace toolhost {

struct HookNote {
  std::string hook;
  std::string text;
};

struct LifecycleResult {
  // UserPromptSubmit only: the turn must not begin. `reason` is for the agent
  // and the person; `failed` tells a guard that broke from one that said no.
  bool denied = false;
  bool failed = false;
  std::string denied_by;
  std::string reason;
  std::vector<HookNote> context;
  std::vector<HookNote> warnings;
  std::size_t hooks = 0;  // that ran
  bool cancelled = false;
};

// UserPromptSubmit: one hook after the other, until one says no; `stop` ends
// the one that runs. The other phases: all at a time, to their own end.
Task<LifecycleResult> run_lifecycle(Hooks& hooks,
                                    std::vector<config::Hook> list,
                                    HookEvent event, Stop& stop);

}  // namespace toolhost
