// Asks: does the session's mode allow it?
// Refuses: planModeBlocked.
// Adds: nothing.
// Why here: the catalogue hides these tools; this stops a call that never
// asked for the list.
#include "gates/catalogue.hpp"
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal plan_mode(Call& call) {
  const auto why = mode_refusal(call.tool->tool, call.policy.mode);
  if (!why) return std::nullopt;
  return make_call_error(CallErrorKind::plan_mode_blocked, *why,
                         "Read and search, and say what you would change.");
}

}  // namespace toolhost::gates
