// execute: starts a call, or attaches to the one that this is a retry of, and
// answers with its result (mode wait) or its id (mode detach).
#include "daemon/access.hpp"
#include "daemon/call_progress.hpp"
#include "daemon/execute_request.hpp"
#include "daemon/methods/table.hpp"
#include "daemon/tool_names.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

std::shared_ptr<Call> make_call(Daemon& daemon, const Connection& connection,
                                ExecuteRequest& asked, SessionPtr session) {
  auto call = std::make_shared<Call>();
  call->id = asked.call_id;
  call->tool_name = std::move(asked.tool);
  call->raw_arguments = std::move(asked.arguments);
  call->raw_digest = std::move(asked.digest);
  call->session = std::move(session);
  call->turn_id = std::move(asked.turn_id);
  call->wish = std::move(asked.wish);
  call->cwd = std::move(asked.cwd);
  call->idempotency_key = std::move(asked.key);
  call->reason = std::move(asked.reason);
  call->requester = requester_of(connection);
  call->requester.agent_name = std::move(asked.agent_name);
  call->timeout = asked.timeout;
  call->approval_timeout = asked.approval_timeout;
  call->dry_run = asked.dry_run;
  call->stays = asked.continue_on_disconnect;
  // The id is the caller's own: a repeat of it is a retry, also after a
  // restart.
  if (call->idempotency_key.empty() && asked.named_by_caller) {
    call->idempotency_key = call->id;
  }
  call->progress = call_progress(daemon, connection, *call, asked.stream);
  // Those who called may not answer; the oldest of very many are forgotten
  // only with the session.
  constexpr std::size_t kMaxCallers = 4096;
  auto& callers = call->session->callers;
  if (callers.size() < kMaxCallers) {
    callers.insert(connection.peer().process);
  }
  return call;
}

// The live or finished call that this is a retry of.
Result<LiveCallPtr> earlier(Daemon& daemon, const ExecuteRequest& asked,
                            const Session& session) {
  LiveCallPtr live;
  if (!asked.key.empty()) {
    live = daemon.calls.find_key(session.id, asked.key);
  }
  if (!live && asked.named_by_caller) live = daemon.calls.find(asked.call_id);
  if (!live) return LiveCallPtr();
  if (live->call->session->id != session.id) {
    return make_error(Code::invalid_params,
                      "params.callId belongs to another session.",
                      "Make a new random id for every call.");
  }
  if (live->call->tool_name != asked.tool ||
      live->call->raw_digest != asked.digest) {
    return make_error(
        Code::idempotency_conflict,
        "The idempotencyKey or callId is in use for \"" +
            live->call->tool_name + "\" with other arguments.",
        "Use a new one for a new call; keep it only for a retry.");
  }
  return live;
}

void reply_with_state(const LiveCallPtr& live, PendingRequest& request) {
  json::object out;
  out["callId"] = live->call->id;
  out["status"] = name(live->call->state);
  request.reply(out);
}

// Waits for the call together with whoever else waits for it.
Task<void> wait(Daemon& daemon, LiveCallPtr live,
                std::shared_ptr<PendingRequest> request) {
  ++live->waiting;
  const auto done = live->done;
  {
    const auto on_stop = request->stop.on_request([done] { done->poke(); });
    while (!done->ready() && !request->stop.requested()) {
      co_await done->next();
    }
  }
  if (done->ready()) {
    --live->waiting;
    if (request->stop.requested()) co_return;
    if (live->call->request_error) {
      co_return request->fail(*live->call->request_error);
    }
    co_return request->reply(std::string_view(*live->call->result_text));
  }
  if (request->connection->open()) {
    // $/cancelRequest: the request and the call it waits for.
    --live->waiting;
    live->call->stop.request("The caller cancelled the request.");
  } else {
    daemon.calls.leave(live, daemon.config->approvals.disconnect_grace);
  }
}

struct Begun {
  LiveCallPtr live;
  bool detach = false;
};

// Everything before the wait, apart from it: a call may wait for hours, and
// what is only needed here would wait along in the coroutine's frame.
Result<Begun> begin(Daemon& daemon, const PendingRequest& request) {
  Connection& connection = *request.connection;
  auto asked = decode_execute(request.params);
  if (!asked) return asked.error();
  if (daemon.stopping || daemon.stop_requested.ready()) {
    return make_error(Code::shutting_down, "The daemon is stopping.",
                      "Connect again in a moment.");
  }
  auto session = session_for(daemon, connection, request.params);
  if (!session) return session.error();
  auto wish = wish_of_call(daemon, connection, **session, request.params);
  if (!wish) return wish.error();
  asked->wish = std::move(*wish);
  const SnapshotPtr snapshot = daemon.registry.snapshot();
  if (!snapshot->find(asked->tool)) {
    return tool_not_found(*snapshot, asked->tool);
  }
  auto live = earlier(daemon, *asked, **session);
  if (!live) return live.error();
  Begun out;
  out.detach = asked->detach;
  if (!*live) {
    const bool stay = asked->continue_on_disconnect;
    live = daemon.calls.start(make_call(daemon, connection, *asked, *session),
                              daemon.config->limits.running_calls);
    if (!live) return live.error();
    (*live)->cancel_on_disconnect = !stay;
  }
  out.live = *live;
  // One that was restored tells its progress to who came back.
  Call& running = *out.live->call;
  if (!running.progress && !out.live->done->ready()) {
    running.progress =
        call_progress(daemon, connection, running, asked->stream);
  }
  return out;
}

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  auto begun = begin(daemon, *request);
  if (!begun) co_return request->fail(begun.error());
  if (begun->detach) co_return reply_with_state(begun->live, *request);
  co_await wait(daemon, std::move(begun->live), request);
}

}  // namespace

const MethodDefinition execute_method{
    .name = "execute", .roles = kCaller, .later = run};

}  // namespace toolhost
