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
  // A server of others that changes what a tool is, under a name that was
  // looked at before, does not get the calls that were meant for the old one.
  const RegisteredTool* now = current->find(call.tool_name);
  if (call.tool->tool.provider_kind == ProviderKind::mcp &&
      (!now || now->definition_hash != call.tool->definition_hash)) {
    return make_call_error(
        CallErrorKind::tool_disabled,
        "Tool \"" + call.tool_name +
            "\" was changed or taken away by its server since this turn began.",
        "Call listTools again, and call it in the next turn.");
  }
  const auto why = not_offered(*call.tool, call.policy, *current->config,
                               parts.rules, call.session->id);
  if (!why) return std::nullopt;
  return make_call_error(
      CallErrorKind::tool_disabled,
      "Tool \"" + call.tool_name + "\" is not available: " + *why,
      "Call listTools for what this session may use.");
}

}  // namespace toolhost::gates
