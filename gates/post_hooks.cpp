// Asks: do the hooks after the tool replace the output?
// Refuses: hookFailed (the journal still says completed).
// Adds: a changed output.
// Why here: before the budget, so that what a hook adds counts. No hook can be
// configured in this version; the step holds the place in which they run.
#include "gates/gates.hpp"

namespace toolhost::gates {

void post_hooks(Call&) {}

}  // namespace toolhost::gates
