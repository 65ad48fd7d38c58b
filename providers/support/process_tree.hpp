// The processes below a process, as /proc shows them, and signals to them.
//
// A snapshot: processes come and go while it is taken. Whoever has to end a
// tree repeats until nothing is found.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace toolhost {

struct ProcessFacts {
  pid_t parent = 0;
  char state = 0;                // as in /proc/PID/stat: R S D T Z …
  std::uint64_t start_time = 0;  // in clock ticks since boot
};

// False when there is no such process (any more).
bool read_process(pid_t pid, ProcessFacts& out);

// Direct children of all threads of `parent`, zombies included.
std::vector<pid_t> direct_children(pid_t parent);

// Every living process below `root`, without `root`; nearest first. At most
// 65536, which is more than a user may usually have.
std::vector<pid_t> descendants(pid_t root);

// Sends `signal` to every descendant of `root`. Each is checked to be still
// below `root` after it was pinned by a pidfd, so that a pid that was used
// again is never hit. Returns how many were there.
std::size_t signal_descendants(pid_t root, int signal);

}  // namespace toolhost
