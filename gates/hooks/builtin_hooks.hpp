// The hooks that the daemon brings along: the table. They run before those of
// the configuration, and they only advise or ask: none can deny, and one that
// fails is logged and changes nothing.
#pragma once

#include <span>
#include <string_view>

#include "gates/hooks/answer.hpp"
#include "gates/pipeline.hpp"

namespace toolhost {

struct BuiltinHook {
  std::string_view name;
  config::HookPhase phase;
  bool (*enabled)(const config::Config& config);
  // Does it look at calls of this tool?
  bool (*wanted)(const Tool& tool);
  // `arguments` are those that earlier hooks left.
  Task<HookRun> (*run)(Call& call, Parts& parts, const json::object& arguments);
};

// In the order in which they run.
std::span<const BuiltinHook* const> builtin_hooks();

// Switched on for this call: by the configuration that its turn began with, or
// by the current one, because what tightens applies at once.
bool is_on(const BuiltinHook& hook, const Call& call, const Parts& parts);

extern const BuiltinHook kAskAboutSecrets;
extern const BuiltinHook kWarnOfSecrets;
extern const BuiltinHook kDiagnoseEdit;

}  // namespace toolhost
