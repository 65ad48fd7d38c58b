// The namespaces of a confined command.
#pragma once

#include "providers/support/launch/failure.hpp"
#include "providers/support/launch/plan.hpp"

namespace toolhost::launch {

// Who we are, asked before the namespaces hide it.
struct Ids {
  int user;
  int group;
};
Ids own_ids();

// As fork: the child is the first process of new namespaces (its pid there is
// 1), the parent gets its pid. Negative: a negated errno.
long clone_inside(const PlanHeader& header);

// By the child: makes it the same user and group as outside, and no other.
// Until capabilities are dropped it may do what the namespaces allow.
Failure map_own_ids(Ids ids);

// Sets lo up, which is down in a new network namespace.
Failure bring_loopback_up();

}  // namespace toolhost::launch
