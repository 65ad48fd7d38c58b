// Paths that a confined command must not bring into being.
//
// A mount needs something to lie on, so a missing path is made for as long as
// the command runs: a socket that nobody listens at (a fifth of the price of a
// folder, and git does not see it), an empty folder, or a file that says "."
// (git's commondir, where "." changes nothing). Ours are told from a person's
// by the sticky bit. Commands that run side by side share them by a lock on
// the folder; the last one removes them, also those that a killed supervisor
// left. What a person put in their place meanwhile stays.
#pragma once

#include "providers/support/launch/failure.hpp"
#include "providers/support/launch/plan.hpp"

namespace toolhost::launch {

// Makes what the plan covers. A path that nobody of our user can make is left
// alone.
Failure make_covers(const char* plan);

// After the last process of the sandbox. Never fails: what cannot be removed
// has nothing in it.
void remove_covers(const char* plan);

}  // namespace toolhost::launch
