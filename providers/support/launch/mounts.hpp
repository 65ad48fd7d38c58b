// What a confined command sees of the file system.
#pragma once

#include "providers/support/launch/failure.hpp"
#include "providers/support/launch/plan.hpp"

namespace toolhost::launch {

// In a mount namespace of our own: the world read-only and without devices,
// the plan's roots as they were, its protected paths read-only in them, its
// hidden ones empty, and /proc, /dev and /tmp as a command needs them. Ends in
// the folder of the same name as the one it was called in; it is a failure
// when that is another one now.
Failure make_world(const char* plan);

}  // namespace toolhost::launch
