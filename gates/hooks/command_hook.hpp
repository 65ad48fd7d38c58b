// A hook that is a program: JSON on its standard input, its answer on its
// standard output.
#pragma once

#include "gates/hooks/answer.hpp"
#include "gates/hooks/event.hpp"
#include "providers/support/stop.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

Task<HookRun> run_command_hook(asio::io_context& loop, config::Hook hook,
                               HookEvent event, Stop& stop);

}  // namespace toolhost
