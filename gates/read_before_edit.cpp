// Asks: was the file read before it is edited?
// Refuses: readBeforeEdit.
// Adds: nothing.
// Why here: before a person is shown a diff that is made from a guess. What was
// seen is not tracked in this version; edit itself demands text that stands in
// the file, and an approved change that met a changed file is refused when it
// runs. The step holds the place of the tracker.
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal read_before_edit(Call&) { return std::nullopt; }

}  // namespace toolhost::gates
