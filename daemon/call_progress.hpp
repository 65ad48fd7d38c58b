// What a running call tells: to the connection that executes it, as far as it
// asked for that, and to subscribers.
#pragma once

#include <functional>

#include "daemon/execute_request.hpp"
#include "gates/call.hpp"

namespace toolhost {

class Connection;
struct Daemon;

// At most so often per call; of what comes in between, the newest is told when
// the time is over, unless the call has ended by then.
inline constexpr Milliseconds kProgressEvery{100};

// Goes with the call: what is still held back when it ends is dropped, because
// the result says more. Output is passed on as it comes (tools batch it).
std::function<void(Progress)> call_progress(Daemon& daemon,
                                            const Connection& connection,
                                            const Call& call,
                                            ExecuteRequest::Stream stream);

}  // namespace toolhost
