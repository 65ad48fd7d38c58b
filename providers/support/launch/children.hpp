// The direct children of this process, as /proc shows them, without a C
// library.
#pragma once

namespace toolhost::launch {

// SIGKILL to each. Direct children only: their own children become ours when
// they die, and a pid of ours cannot be used again before we waited for it.
void kill_children(int command);

}  // namespace toolhost::launch
