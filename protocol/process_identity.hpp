// ProcessIdentity: a process, safe against reuse of its pid.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>

namespace toolhost {

struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot: /proc/PID/stat, 22

  friend bool operator==(const ProcessIdentity&,
                         const ProcessIdentity&) = default;
  friend auto operator<=>(const ProcessIdentity&,
                          const ProcessIdentity&) = default;
};

}  // namespace toolhost
