// The end of a session, and of all that belongs to it.
#pragma once

#include "daemon/daemon.hpp"

namespace toolhost {

// Withdraws its questions, cancels its calls, ends its children, forgets what
// was remembered and kept for it. The session is closed to everybody when this
// was called; the task returns when all of that has ended.
Task<void> end_session(Daemon& daemon, SessionPtr session);

}  // namespace toolhost
