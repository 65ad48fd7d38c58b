// Who holds a flock, found without touching the lock.
//
// Trying to take it, even shared and for a moment, could make a daemon that
// starts just then believe that another one runs. So /proc/locks is read.
#pragma once

#include <sys/types.h>

#include <string>

namespace toolhost::doctor {

struct LockHolder {
  enum class State { missing, free, held, unknown };
  State state = State::unknown;
  // Of the holder, when held; 0 when it lives in a pid namespace that we do
  // not see and the file does not say.
  pid_t pid = 0;
  std::string reason;  // when unknown
};

LockHolder find_lock_holder(const std::string& path);

}  // namespace toolhost::doctor
