// Asks: which registry and configuration is this turn judged with?
// Refuses: nothing.
// Adds: snapshot, policy.
// Why here: everything after reads the snapshot, so that a reload in the middle
// of a turn cannot mix two worlds. What tightens applies at once all the same:
// later gates also look at the current configuration.
#include "gates/gates.hpp"
#include "gates/turns.hpp"

namespace toolhost::gates {

void pin(Call& call, Parts& parts) {
  call.snapshot = parts.turns.pin(call.session->id, call.turn_id,
                                  parts.registry.snapshot());
  call.policy = narrow(call.session->policy, call.wish);
}

}  // namespace toolhost::gates
