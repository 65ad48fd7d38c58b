#include "gates/hooks/command_hook.hpp"

#include <chrono>

#include "gates/hooks/bounded_process.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

ProcessSpec spec_of(const config::Hook& hook, const HookEvent& event) {
  ProcessSpec spec;
  spec.argv = hook.command;
  spec.env = child_environment();
  spec.cwd = !hook.cwd.empty()          ? hook.cwd
             : !event.workspace.empty() ? event.workspace
                                        : std::string("/");
  spec.stdin_pipe = true;
  return spec;
}

HookRun read_end(const config::Hook& hook, const ProcessLimits& limits,
                 const ProcessEnd& end) {
  HookRun out;
  switch (end.how) {
    case ProcessEnd::How::exited:
      return read_hook_exit(hook.phase, end.status, end.output, end.errors);
    case ProcessEnd::How::stopped:
      out.cancelled = true;
      return out;
    case ProcessEnd::How::flooded:
      return hook_failure("printed more than " +
                          std::to_string(limits.output_bytes >> 20) +
                          " MiB and was ended");
    case ProcessEnd::How::timed_out:
      break;
  }
  out.timed_out = true;
  out.failure = "did not end within " + std::to_string(hook.timeout.count()) +
                " ms and was ended";
  return out;
}

}  // namespace

Task<HookRun> run_command_hook(asio::io_context& loop, config::Hook hook,
                               HookEvent event, Stop& stop) {
  ProcessLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + hook.timeout;
  ProcessSpec spec = spec_of(hook, event);
  // A line: a hook that reads just one is content, too.
  std::string input = json_text(event.payload) + "\n";
  const auto end = co_await run_bounded(loop, std::move(spec), std::move(input),
                                        limits, stop);
  if (!end) {
    co_return hook_failure("cannot be started: " + end.error().message);
  }
  co_return read_end(hook, limits, *end);
}

}  // namespace toolhost
