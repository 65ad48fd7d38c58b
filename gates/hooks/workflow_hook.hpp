// A hook that is a workflow of another local service: one POST, one answer.
#pragma once

#include "gates/hooks/answer.hpp"
#include "gates/hooks/event.hpp"
#include "gates/hooks/http_post.hpp"

namespace toolhost {

Task<HookRun> run_workflow_hook(asio::io_context& loop, config::Hook hook,
                                HookEvent event, Stop& stop);

// What the service's answer says, by the hook's mode: pure, for tests.
HookRun read_workflow_answer(const config::Hook& hook,
                             const HttpAnswer& answer);

}  // namespace toolhost
