// What a hook of the tool phases is told of a call, and the arguments that it
// is told of.
#pragma once

#include "gates/call.hpp"
#include "gates/hooks/event.hpp"

namespace toolhost {

// Unwrapped, aliases renamed, defaults filled in: a guard must not be got
// round by another spelling of a name.
json::object plain_arguments(const json::object& raw,
                             const RegisteredTool& tool);

// `arguments` are told as `tool_input`; PostToolUse also tells the output.
HookEvent call_event(const Call& call, config::HookPhase phase,
                     const json::object& arguments);

// The members that every phase has.
json::object common_payload(config::HookPhase phase, const Session& session,
                            const Policy& policy, const std::string& turn_id,
                            const std::string& client);

}  // namespace toolhost
