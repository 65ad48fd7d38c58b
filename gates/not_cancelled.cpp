// Asks: was it cancelled before it began?
// Refuses: cancelled.
// Adds: nothing.
// Why here: before any work; gate 14 and gate 15 ask again after their waits.
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal not_cancelled(Call& call) {
  if (!call.stop.requested()) return std::nullopt;
  return make_call_error(CallErrorKind::cancelled, call.stop.reason(),
                         "Nothing was run.");
}

}  // namespace toolhost::gates
