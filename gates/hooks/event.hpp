// HookEvent: one moment that hooks are asked about or told of.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "protocol/error.hpp"

namespace toolhost {

struct HookEvent {
  config::HookPhase phase = config::HookPhase::pre_tool_use;
  std::string tool;       // of the tool phases
  std::string surface;    // the client's own name for itself
  std::string workspace;  // the primary root; may be empty
  std::string call_id;    // for the log; the session's id without a call
  // What a command gets on standard input, and a workflow as its payload.
  json::object payload;
};

// `*` is any run of characters, `|` separates alternatives (trimmed), every
// other character means itself; the whole name has to match. An alternative
// that is empty matches nothing.
bool hook_pattern_matches(std::string_view pattern, std::string_view name);

// The hooks of this event, in their order: those that the turn began with, then
// guards that were configured since, because what tightens applies at once.
std::vector<config::Hook> hooks_for(const config::Config& pinned,
                                    const config::Config& current,
                                    const HookEvent& event);

}  // namespace toolhost
