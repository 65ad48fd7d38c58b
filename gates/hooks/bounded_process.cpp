#include "gates/hooks/bounded_process.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>

namespace toolhost {
namespace {

// From SIGTERM to SIGKILL, for a program that ran out of time.
constexpr Milliseconds kGrace{300};
// After the program's end, for what is still in its pipes: a process that it
// left behind may hold them open.
constexpr Milliseconds kDrain{100};

SteadyTime now() { return std::chrono::steady_clock::now(); }

// One run; its readers end before it does. What the program left behind ends
// with `child`.
struct Running {
  Running(asio::io_context& loop, const ProcessLimits& bounds)
      : limits(bounds), wake(loop) {}

  void end_of(bool& stream) {
    stream = true;
    wake.cancel();
  }

  const ProcessLimits& limits;
  std::unique_ptr<ChildProcess> child;
  // Wakes the waiter: an end, a flood, a request to stop.
  asio::steady_timer wake;
  std::string output;
  std::string errors;
  bool output_ended = false;
  bool errors_ended = false;
  bool flooded = false;
  bool over = false;
};

// The input is closed as soon as it is written, or cannot be: a program that
// reads to the end of it must not wait.
Task<void> feed(Running& run, std::string input) {
  if (!input.empty()) (void)co_await run.child->write_in(std::move(input));
  run.child->close_in();
}

Task<void> read_output(Running& run) {
  bool more = true;
  while (more && !run.over) {
    more = co_await run.child->read_out(run.output);
    if (run.output.size() > run.limits.output_bytes) {
      run.flooded = true;
      break;
    }
  }
  run.end_of(run.output_ended);
}

Task<void> read_errors(Running& run) {
  bool more = true;
  while (more && !run.over) {
    more = co_await run.child->read_err(run.errors);
    if (run.errors.size() > run.limits.error_bytes) {
      run.errors.erase(0, run.errors.size() - run.limits.error_bytes);
    }
  }
  run.end_of(run.errors_ended);
}

Task<void> watch(Running& run) {
  co_await run.child->wait();
  run.wake.cancel();
}

Task<void> await_end(Running& run, const Stop& stop) {
  while (!run.child->exited() && !run.flooded && !stop.requested() &&
         now() < run.limits.deadline) {
    run.wake.expires_at(run.limits.deadline);
    co_await run.wake.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

Task<void> drain(Running& run) {
  const SteadyTime deadline = now() + kDrain;
  while (!(run.output_ended && run.errors_ended) && !run.flooded &&
         now() < deadline) {
    run.wake.expires_at(deadline);
    co_await run.wake.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace

Task<Result<ProcessEnd>> run_bounded(asio::io_context& loop, ProcessSpec spec,
                                     std::string input, ProcessLimits limits,
                                     Stop& stop) {
  auto child = ChildProcess::spawn(loop, spec);
  if (!child) co_return child.error();
  Running run(loop, limits);
  run.child = std::move(*child);
  TaskGroup group(loop, "bounded process");
  group.spawn(read_output(run));
  group.spawn(read_errors(run));
  group.spawn(watch(run));
  if (spec.stdin_pipe) group.spawn(feed(run, std::move(input)));
  const std::function<void()> on_stop = [&run] { run.wake.cancel(); };
  const Stop::Registration stopping = stop.on_request(on_stop);

  co_await await_end(run, stop);
  ProcessEnd out;
  const bool exited = run.child->exited().has_value();
  if (exited && !run.flooded) {
    co_await drain(run);
  } else {
    const Milliseconds grace = run.flooded ? Milliseconds(0) : kGrace;
    co_await run.child->end_tree(grace);
  }
  run.over = true;
  run.child->close_in();
  run.child->interrupt_reads();
  co_await group.join();

  if (run.flooded) {
    out.how = ProcessEnd::How::flooded;
  } else if (!exited) {
    out.how = stop.requested() ? ProcessEnd::How::stopped
                               : ProcessEnd::How::timed_out;
  }
  out.status = run.child->exited().value_or(ExitStatus());
  out.output = std::move(run.output);
  out.errors = std::move(run.errors);
  co_return out;
}

}  // namespace toolhost
