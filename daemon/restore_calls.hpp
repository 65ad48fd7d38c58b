// What waited for a person when the daemon was killed, brought back.
#pragma once

#include "daemon/daemon.hpp"

namespace toolhost {

// Sessions by name with their rules, then every open question: published under
// its id, its call waiting as before. Quick: nothing is judged here (see
// ApprovalQueue::judge_restored). Where the journal had to be set aside, no
// remembered allow counts any more.
void restore_calls(Daemon& daemon);

}  // namespace toolhost
