// Starting the command, and looking after what it starts.
#pragma once

#include "providers/support/launch/failure.hpp"

namespace toolhost::launch {

// A program and what it is given; as execve.
struct Command {
  const char* program;
  char** argv;
  char** envp;
};

// Tells the daemon. A daemon that is gone cannot be told anything: failures do
// not matter.
void report(Event event, int value);
void report(const Failure& failure);

// The pid of the command, or a Failure in the other.
struct Started {
  int pid = -1;
  Failure failure;
};
Started start(const Command& command);

// Gives up the streams and the folder of the command, which have to end with
// it and must not be kept busy by us.
void let_go_of_streams();

// Waits for whoever has ended and reports the command. False when there is no
// child left.
bool reap(int& command);

// Until there is no child left. SIGTERM means: end all of them.
void supervise(int command);

// The first process of a PID namespace: whoever loses its parent becomes its
// child, and its end is the end of all.
void supervise_inside(int command);

// The supervisor of that one. `first` is its pid. False when it was killed.
bool await_inside(int first);

}  // namespace toolhost::launch
