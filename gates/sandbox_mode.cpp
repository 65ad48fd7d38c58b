// Asks: does the sandbox mode allow this kind of tool?
// Refuses: sandboxReadOnly, sandboxCommandBlocked, sandboxWriteBlocked.
// Adds: nothing.
// Why here: the kind is the registry's, never the caller's, and it decides
// before any argument is looked at. The table is in catalogue.cpp, because the
// list hides what it refuses.
#include "gates/catalogue.hpp"
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal sandbox_mode(Call& call) {
  return sandbox_refusal(call.tool->tool, call.policy.sandbox);
}

}  // namespace toolhost::gates
