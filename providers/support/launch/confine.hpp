// The steps that a process takes upon itself before it executes a command.
#pragma once

#include "providers/support/launch/failure.hpp"
#include "providers/support/launch/namespaces.hpp"
#include "providers/support/launch/plan.hpp"

namespace toolhost::launch {

// The plan in kPlanFd, which is closed; null when it cannot be read.
const char* read_plan();

// The first process of new namespaces: maps, network, what is seen.
Failure settle_inside(const char* plan, Ids ids);

// No new privileges, capabilities, limits, Landlock, seccomp: needs nothing
// from the machine but a recent kernel.
Failure confine(const char* plan);

}  // namespace toolhost::launch
