// Which supervisors live, and what a killed one left behind.
//
// We are a child subreaper: what a dead supervisor held becomes our own child,
// level by level as it is killed. A child of ours that is no supervisor, and
// is not older than the dead one, is such a stray. Loop thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace toolhost {

// Makes this process the one that orphans come to. Once is enough.
void adopt_orphans();

void add_supervisor(pid_t pid);
void remove_supervisor(pid_t pid);

// SIGKILL to every stray that started at `since` (clock ticks since boot) or
// later, and reaps those that are dead. True if there was any: call it again.
bool kill_strays(std::uint64_t since);

}  // namespace toolhost
