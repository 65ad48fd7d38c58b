// What commands left running: each tree goes on below its own supervisor until
// it ends, its session closes, or the daemon stops.
//
// Loop thread only. A process-wide list, because a tool is a row of functions
// without an object of its own; the daemon has to call end_all_children()
// before its loop ends.
#pragma once

#include <memory>
#include <string>

#include "providers/support/child_process.hpp"

namespace toolhost::builtin {

inline constexpr std::size_t kMaxBackgroundPerSession = 64;
inline constexpr std::size_t kMaxBackground = 256;

// Takes over a tree whose command has ended. False when there are too many
// already: then it is killed.
bool keep_in_background(asio::io_context& loop, const std::string& session,
                        std::unique_ptr<ChildProcess> child);

// How many trees a session has.
std::size_t background_children(const std::string& session);

// SIGTERM, SIGKILL after a second; returns when they are gone (or cannot be
// ended, which is logged).
Task<void> end_session_children(std::string session);
Task<void> end_all_children();

}  // namespace toolhost::builtin
