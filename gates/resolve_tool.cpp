// Asks: is there such a tool for this session, now?
// Refuses: toolDisabled, with the filter that said no. (A name that is in no
// registry is a fault of the request and answered before a call exists.)
// Adds: tool.
// Why here: every catalogue filter is judged again; a list may be old, and
// nobody has to ask for one.
#include "gates/catalogue.hpp"
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal resolve_tool(Call& call, Parts& parts) {
  call.tool = call.snapshot->find(call.tool_name);
  if (!call.tool) {
    return make_call_error(
        CallErrorKind::tool_disabled,
        "Tool \"" + call.tool_name + "\" is not in this turn's catalogue.",
        "It was added meanwhile; the next turn has it.");
  }
  // The current configuration, not the turn's: what tightens applies at once.
  const SnapshotPtr current = parts.registry.snapshot();
  const auto why = not_offered(*call.tool, call.policy, *current->config,
                               parts.rules, call.session->id);
  if (!why) return std::nullopt;
  return make_call_error(
      CallErrorKind::tool_disabled,
      "Tool \"" + call.tool_name + "\" is not available: " + *why,
      "Call listTools for what this session may use.");
}

}  // namespace toolhost::gates
