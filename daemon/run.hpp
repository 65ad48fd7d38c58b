// The life of the daemon: up in order, serve, down in reverse.
#pragma once

#include "config/config.hpp"
#include "config/paths.hpp"
#include "protocol/error.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

// Returns after a clean stop (SIGTERM, SIGINT, or the method shutdown). The
// error says why it could not start; nothing is left behind then.
Result<void> run_daemon(asio::io_context& loop, const config::Paths& paths,
                        config::ConfigPtr config);

}  // namespace toolhost
