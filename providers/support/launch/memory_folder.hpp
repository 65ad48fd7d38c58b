// A folder in memory that a sandbox is made of: its /tmp and /dev/shm, and the
// empty things that lie over what is hidden.
#pragma once

#include "providers/support/launch/failure.hpp"

namespace toolhost::launch {

class MemoryFolder {
 public:
  // Lies over /proc until a new /proc lies over it; used by descriptor.
  Failure make();
  void close();

  // A new folder of this name in it, writable for everybody as /tmp is, laid
  // over `path`. Nothing happens when `path` is missing.
  Failure lay_writable(const char* name, const char* path, Step step);

  // An empty folder or file over `path`; nothing when it is missing.
  Failure hide(const char* path, int record);

  // For a path in a hidden folder: what `copy` can be laid on.
  void make_place(const char* path, int copy);

 private:
  int fd_ = -1;
  int hidden_ = 0;
};

}  // namespace toolhost::launch
