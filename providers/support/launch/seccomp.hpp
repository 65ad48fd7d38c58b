// The system calls that a confined command does without.
#pragma once

#include "providers/support/launch/failure.hpp"
#include "providers/support/launch/plan.hpp"

namespace toolhost::launch {

// For this process and all that it starts, for good. Needs no_new_privs. What
// is refused returns an errno: programs say so and go on.
Failure filter_system_calls(const PlanHeader& header);

}  // namespace toolhost::launch
