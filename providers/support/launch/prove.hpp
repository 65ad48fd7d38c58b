// toolhost-launch --prove FILE: what a sandbox must refuse, tried from inside.
#pragma once

namespace toolhost::launch {

// 0: everything was refused. Otherwise a sum of 1 (FILE could be made), 2 (a
// netlink socket), 4 (ptrace), 8 (capabilities are left). The daemon asks it
// at its start, so that a sandbox that does nothing is not taken for one.
int prove(const char* file);

}  // namespace toolhost::launch
