// What toolhost-launch tells the daemon through the status pipe: fixed-size
// records, each written in one piece.
#pragma once

#include <cstdint>

namespace toolhost::launch {

// The descriptor of the status pipe in the launcher.
inline constexpr int kStatusFd = 3;

enum class Event : std::int32_t {
  started = 1,  // value: pid of the command
  failed = 2,   // value: errno of the vfork or execve; the launcher ends
  exited = 3,   // value: raw wait status of the command
};

struct Message {
  Event event;
  std::int32_t value;
};
static_assert(sizeof(Message) == 8);

}  // namespace toolhost::launch
