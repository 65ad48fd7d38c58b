// Asks: do the hooks before the tool object, or rewrite the arguments?
// Refuses: hookDenied, hookFailed.
// Adds: rewritten raw arguments.
// Why here: before the schema, so that a rewrite is validated, shown and
// journalled like arguments of the caller's own. No hook can be configured in
// this version; the step holds the place in which they run.
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal pre_hooks(Call&) { return std::nullopt; }

}  // namespace toolhost::gates
