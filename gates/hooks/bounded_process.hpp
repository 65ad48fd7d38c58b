// A program that is given an input and a time: what it printed, how it ended.
//
// The limit counts from the start, whatever the program does with its input; at
// its end, and at the end of the program, everything that it started is ended.
#pragma once

#include <string>

#include "protocol/clock.hpp"
#include "providers/support/child_process.hpp"
#include "providers/support/stop.hpp"

namespace toolhost {

struct ProcessLimits {
  SteadyTime deadline;
  // Kept of standard output; more ends the program.
  std::size_t output_bytes = 1 << 20;
  // Kept of the end of standard error; more is read and dropped.
  std::size_t error_bytes = 16 * 1024;
};

struct ProcessEnd {
  enum class How { exited, timed_out, stopped, flooded };
  How how = How::exited;
  ExitStatus status;  // of `exited`
  std::string output;
  std::string errors;
};

// `spec.stdin_pipe` is set when there is an input. Fails when the program
// cannot be started.
Task<Result<ProcessEnd>> run_bounded(asio::io_context& loop, ProcessSpec spec,
                                     std::string input, ProcessLimits limits,
                                     Stop& stop);

}  // namespace toolhost
