// How a step of the launcher says that it failed.
#pragma once

#include "providers/support/launch/message.hpp"

namespace toolhost::launch {

// What happened in one step. A number of 0 means that all is well.
struct Failure {
  Step step = Step::execute;
  int number = 0;  // errno
  int record = 0;  // as in Message

  explicit operator bool() const { return number != 0; }
};

// From the answer of a system call.
inline Failure check(long answer, Step step, int record = 0) {
  if (answer >= 0) return {};
  return {step, static_cast<int>(-answer), record};
}

}  // namespace toolhost::launch
