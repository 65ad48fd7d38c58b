// Giving up, for good, what a process could be allowed beyond its user.
#pragma once

#include "providers/support/launch/failure.hpp"
#include "providers/support/launch/plan.hpp"

namespace toolhost::launch {

// No program that this process executes gains anything by being set-user-ID or
// by file capabilities.
Failure forbid_new_privileges();

// Empties every set of capabilities, the bounding set included, so that root
// is only the owner of its files.
Failure drop_capabilities();

// The limits of the plan.
Failure set_limits(const char* plan);

}  // namespace toolhost::launch
