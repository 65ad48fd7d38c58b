// Ways out of a sandbox, and what stops each.
#pragma once

#include <span>

namespace toolhost::testing {

struct Attempt {
  const char* name;  // a sentence: "It …"
  const char* script;
  const char* stopped_by;  // of all layers, the first that does
  // With Landlock and seccomp alone: false means that it gets out, which the
  // probe says in its summary.
  bool landlock_stops;
};

std::span<const Attempt> attempts();

}  // namespace toolhost::testing
