// Landlock: which files may be written (and read), whatever the mounts say.
#pragma once

#include "providers/support/launch/failure.hpp"
#include "providers/support/launch/plan.hpp"

namespace toolhost::launch {

// For this process and all that it starts, for good. A kernel that knows less
// than the plan's least ABI is a failure.
Failure restrict_by_landlock(const char* plan);

}  // namespace toolhost::launch
