// Asks: is it the call's turn, and is its start on record?
// Refuses: cancelled, timedOut, toolFailed and what the tool says.
// Adds: output, state.
// Why here: the only step that changes the world. The journal has `started`
// before the tool begins; the lease on what it touches is held until the tool
// really ended, also when the caller got its answer before that.
#include "gates/fault_point.hpp"
#include <algorithm>

#include "gates/gates.hpp"
#include "providers/support/log.hpp"

namespace toolhost::gates {
namespace {

// What is shared between the step and the worker that may outlive it.
struct Work {
  explicit Work(asio::io_context& loop) : done(loop) {}
  std::shared_ptr<Call> call;
  // Its own: a call that is over sheds what only a running one needs.
  Workspace workspace;
  SnapshotPtr snapshot;
  Provider* provider = nullptr;
  Lease lease;
  Stop stop;  // the call's stop, or its time limit
  OneShot<ToolOutput> done;
  std::unique_ptr<ExecutionContext> context;
  bool abandoned = false;  // the caller has its answer already
};

CallError no_record(const Error& error) {
  return make_call_error(
      CallErrorKind::internal,
      "Nothing was run: the start could not be recorded. " + error.message,
      "Run `toolhost doctor`; the disk may be full.");
}

// Does an effect need its record first? Reading does not.
bool has_effect(const Call& call) { return !call.tool->tool.pure_read; }

Task<Result<void>> record_start(Call& call, Parts& parts) {
  JournalCall row;
  row.call_id = call.id;
  row.session_id = call.session->id;
  row.idempotency_key = call.idempotency_key;
  row.tool = call.tool_name;
  row.arguments_digest = call.arguments_digest;
  row.started_at = rfc3339(parts.clock.wall());
  if (!has_effect(call)) {
    if (!call.idempotency_key.empty()) parts.journal.begin_soon(std::move(row));
    co_return Result<void>();
  }
  co_return co_await parts.journal.begin(std::move(row));
}

// The worker. The wall: what a tool throws fails that call, not the daemon.
Task<void> work(std::shared_ptr<Work> job) {
  ToolOutput output;
  try {
    Call& call = *job->call;
    output = co_await job->provider->call(call.tool_name, call.arguments,
                                          *job->context);
  } catch (const std::exception& error) {
    log_error("a tool threw call=" + job->call->id +
              " tool=" + job->call->tool_name + " error=" + error.what());
    output = ToolOutput::failure(make_call_error(
        CallErrorKind::internal,
        std::string("The tool failed in the daemon: ") + error.what(),
        "This is a fault of the daemon; its log has the call's id."));
  }
  job->lease.release();
  if (job->abandoned) {
    log_info("a tool ended after its caller was answered call=" +
             job->call->id);
  }
  job->done.set(std::move(output));
}

void start_worker(const std::shared_ptr<Work>& job, Parts& parts) {
  Call& call = *job->call;
  job->workspace = call.workspace;
  job->snapshot = call.snapshot;
  job->provider = call.tool->provider;
  job->context = std::unique_ptr<ExecutionContext>(
      new ExecutionContext{{job->workspace, call.cwd, call.policy.sandbox,
                            *job->snapshot->config, &parts.confinement},
                           call.id,
                           call.session->id,
                           job->stop,
                           parts.loop,
                           parts.blocking,
                           parts.artifacts,
                           call.timeout,
                           call.progress,
                           call.resolution.targets});
  parts.workers.spawn(work(job));
}

void tell_started(const Call& call, Parts& parts) {
  Event event;
  event.topic = Topic::calls;
  event.method = "call/started";
  event.body["call"] = summary(call);
  event.session = call.session->id;
  event.workspace = call.policy.roots.empty() ? "" : call.policy.roots.front();
  event.call = call.id;
  parts.events.publish(std::move(event));
}

CallError stopped_error(const Call& call, bool timed_out, bool ended) {
  const std::string still =
      ended ? "" : " It did not stop in time and may still be at work.";
  if (timed_out) {
    return make_call_error(CallErrorKind::timed_out,
                           "The call ran longer than " +
                               std::to_string(call.timeout->count()) +
                               " ms and was stopped." + still,
                           "Give it a longer timeoutMs, or do less at once.");
  }
  return make_call_error(CallErrorKind::cancelled, call.stop.reason() + still,
                         "It was stopped on purpose; do not retry unasked.");
}

// Waits for the worker: to its end, to a stop and the grace after it.
Task<bool> wait_for(std::shared_ptr<Work> job, Parts& parts) {
  Call& call = *job->call;
  SteadyTime deadline = SteadyTime::max();
  if (call.timeout) deadline = parts.clock.steady() + *call.timeout;
  bool timed_out = false;
  const auto on_stop = call.stop.on_request([job] {
    job->stop.request(job->call->stop.reason());
    job->done.poke();
  });
  while (!job->done.ready() && !job->stop.requested()) {
    co_await job->done.wait_until(deadline);
    if (!job->done.ready() && !job->stop.requested() &&
        parts.clock.steady() >= deadline) {
      timed_out = true;
      job->stop.request("The call ran longer than its limit.");
    }
  }
  const SteadyTime last =
      parts.clock.steady() + call.snapshot->config->tools.cancel_grace;
  while (!job->done.ready() && parts.clock.steady() < last) {
    co_await job->done.wait_until(last);
  }
  co_return timed_out;
}

void take_output(Call& call, const std::shared_ptr<Work>& job, bool timed_out) {
  const bool ended = job->done.ready();
  const bool stopped = job->stop.requested();
  if (ended) call.output = job->done.take();
  // A tool that finished its work although it was told to stop has succeeded.
  const bool finished = ended && !call.output.error;
  if (!ended) job->abandoned = true;
  if (stopped && !finished) {
    call.output.error = stopped_error(call, timed_out, ended);
    call.state = timed_out ? CallState::timed_out : CallState::cancelled;
    return;
  }
  call.state = CallState::completed;
  if (!call.output.error) return;
  const CallErrorKind kind = call.output.error->kind;
  call.state = kind == CallErrorKind::timed_out         ? CallState::timed_out
               : kind == CallErrorKind::cancelled       ? CallState::cancelled
               : kind == CallErrorKind::outcome_unknown ? CallState::unknown
                                                        : CallState::failed;
}

// Others changed files while the call waited for them. What nobody was asked
// about is looked at again, so that ten edits of one file in one turn all find
// it as the one before left it. What a person saw stays what it was.
Refusal look_again(Call& call, const Parts& parts) {
  if (call.approval || call.resolution.targets.empty()) return std::nullopt;
  const ToolContext context{call.workspace, call.cwd, call.policy.sandbox,
                            *call.snapshot->config, &parts.confinement};
  auto now =
      call.tool->provider->resolve(call.tool_name, call.arguments, context);
  if (!now) return now.error();
  const auto same_path = [](const WriteTarget& a, const WriteTarget& b) {
    return a.path.physical == b.path.physical;
  };
  const auto& before = call.resolution.targets;
  if (!std::equal(now->targets.begin(), now->targets.end(), before.begin(),
                  before.end(), same_path)) {
    return make_call_error(
        CallErrorKind::path_blocked,
        "A path of the call leads elsewhere than when it was allowed.",
        "Call again: it is judged anew.");
  }
  call.resolution.targets = std::move(now->targets);
  return std::nullopt;
}

}  // namespace

Task<void> run_tool(std::shared_ptr<Call> shared, Parts& parts) {
  Call& call = *shared;
  const SteadyTime queued = parts.clock.steady();
  const auto millis = [&](SteadyTime from) {
    return std::chrono::duration_cast<Milliseconds>(parts.clock.steady() - from)
        .count();
  };
  const auto job = std::make_shared<Work>(parts.loop);
  job->call = shared;
  call.state = CallState::queued;
  std::string domain;
  if (!call.policy.roots.empty()) domain = call.workspace.primary();
  auto lease = co_await parts.scheduler.acquire(call.resolution.accesses,
                                                std::move(domain), call.stop);
  call.timing.queued_ms = millis(queued);
  if (!lease) {
    call.output = ToolOutput::failure(lease.error());
    call.state = CallState::cancelled;
    co_return;
  }
  job->lease = std::move(*lease);
  if (job->lease.waited()) {
    if (Refusal no = look_again(call, parts)) {
      call.output = ToolOutput::failure(std::move(*no));
      call.state = CallState::failed;
      co_return;
    }
  }
  const Result<void> recorded = co_await record_start(call, parts);
  if (!recorded || call.stop.requested()) {
    const bool cancelled = recorded.has_value();
    call.output =
        ToolOutput::failure(cancelled ? stopped_error(call, false, true)
                                      : no_record(recorded.error()));
    call.state = cancelled ? CallState::cancelled : CallState::failed;
    co_return;
  }
  fault_point("run", "recorded");
  call.state = CallState::running;
  tell_started(call, parts);
  const SteadyTime started = parts.clock.steady();
  start_worker(job, parts);
  const bool timed_out = co_await wait_for(job, parts);
  fault_point("run", "ended");
  call.timing.run_ms = millis(started);
  take_output(call, job, timed_out);
}

}  // namespace toolhost::gates
