// Asks: does the tool itself say never?
// Refuses: toolDisabled.
// Adds: nothing.
// Why here: no rule, hook or person lifts a tool's own never.
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal declared_policy(Call& call) {
  if (call.tool->tool.policy != ToolPolicy::never) return std::nullopt;
  return make_call_error(
      CallErrorKind::tool_disabled,
      "Tool \"" + call.tool_name + "\" is declared with policy never.",
      "Use another tool.");
}

}  // namespace toolhost::gates
