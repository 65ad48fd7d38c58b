// What toolhost-launch tells the daemon through the status pipe: fixed-size
// records, each written in one piece.
#pragma once

#include <cstdint>

namespace toolhost::launch {

// The descriptor of the status pipe in the launcher.
inline constexpr int kStatusFd = 3;

enum class Event : std::int32_t {
  started = 1,  // value: pid of the command, as its own namespace counts
  failed = 2,   // value: errno; step and path say where; the launcher ends
  exited = 3,   // value: raw wait status of the command
  inside = 4,   // value: pid of the first process of the sandbox, for us
};

// Where a start failed. Words: sandbox_steps.cpp.
enum class Step : std::int32_t {
  execute = 0,
  read_plan,
  cover,
  namespaces,
  user_map,
  loopback,
  clone_roots,
  read_only_world,
  private_memory,
  own_proc,
  own_devices,
  own_tmp,
  bind_root,
  hide,
  reveal,
  pin,
  protect,
  enter_folder,
  limits,
  no_new_privileges,
  capabilities,
  landlock,
  landlock_rule,
  seccomp,
  last = seccomp,
};

struct Message {
  Event event;
  std::int32_t value;
  Step step = Step::execute;
  // 1 + number of the record of the plan that was carried out; 0 for none.
  std::int32_t record = 0;
};
static_assert(sizeof(Message) == 16);

}  // namespace toolhost::launch
