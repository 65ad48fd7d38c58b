// Starting a command under its supervisor: pipes, vfork, and what the
// supervisor answered. Only child_process.cpp uses it.
#pragma once

#include <sys/types.h>

#include <string>

#include "providers/support/child_process.hpp"

namespace toolhost {

// A running command. Our ends of the pipes do not block.
struct Launched {
  pid_t supervisor = -1;
  pid_t command = -1;
  UniqueFd pidfd;   // of the supervisor
  UniqueFd status;  // records of launch/message.hpp
  UniqueFd in;      // only with stdin_pipe
  UniqueFd out;
  UniqueFd err;  // not with merge_stderr
};

// Blocks until the command was executed or could not be: about 0.4 ms, at most
// 5 s on a machine that is on its knees.
Result<Launched> launch_command(const ProcessSpec& spec);

// The supervisor program: beside us, one folder up (build variants), or in
// ../libexec/toolhost. TOOLHOST_LAUNCH names another one in tests.
Result<std::string> find_launcher();

}  // namespace toolhost
