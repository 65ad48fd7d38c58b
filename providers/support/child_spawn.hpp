// Starting a command under its supervisor: pipes, vfork, and what the
// supervisor answered. Only child_process.cpp uses it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "providers/support/child_process.hpp"

namespace toolhost {

// A running command. Our ends of the pipes do not block.
struct Launched {
  pid_t supervisor = -1;
  // 0: a confined command that had ended before it was looked for.
  pid_t command = -1;
  // The first process of the sandbox, below the supervisor; 0 without one.
  pid_t inside = 0;
  // Raw, if it ended while we were still listening to the start.
  std::optional<int> exited;
  UniqueFd pidfd;   // of the supervisor
  UniqueFd status;  // records of launch/message.hpp
  UniqueFd in;      // only with stdin_pipe
  UniqueFd out;
  UniqueFd err;  // not with merge_stderr
};

// Blocks until the command was executed or could not be: about 0.4 ms, 1 ms in
// a sandbox, at most 5 s on a machine that is on its knees.
Result<Launched> launch_command(const ProcessSpec& spec);

}  // namespace toolhost
