// getCall: a call and, once it is over, its result. With waitMs a long poll
// until it is over.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// A poll that outlives this is sent again by the client.
constexpr std::int64_t kLongestWait = 10 * 60 * 1000;

Task<void> wait(const LiveCallPtr& live, PendingRequest& request,
                Daemon& daemon, std::int64_t wait_ms) {
  asio::steady_timer timer(daemon.loop);
  const SteadyTime deadline = daemon.clock.steady() + Milliseconds(wait_ms);
  const auto done = live->done;
  const auto on_stop = request.stop.on_request([&] { done->poke(); });
  bool late = false;
  timer.expires_at(deadline);
  timer.async_wait([&late, done](boost::system::error_code error) {
    if (error) return;
    late = true;
    done->poke();
  });
  while (!done->ready() && !request.stop.requested() && !late) {
    co_await done->next();
  }
}

// A call of which only the journal knows, as `{"call":…,"result":…}`; empty
// when it is not there, or another session's.
Task<std::string> from_journal(Daemon& daemon, const PendingRequest& request,
                               std::string id) {
  auto found = co_await daemon.journal->find_call(std::move(id));
  std::string out;
  if (!found || !*found) co_return out;
  const JournalCall& known = **found;
  if (!may_use(*request.connection, known.session_id)) co_return out;
  constexpr std::array<std::string_view, 4> kStates{"running", "completed",
                                                    "failed", "unknown"};
  json::object call;
  call["callId"] = known.call_id;
  call["state"] = kStates[static_cast<std::size_t>(known.state)];
  call["tool"] = known.tool;
  call["sessionId"] = known.session_id;
  call["startedAt"] = known.started_at;
  if (!known.completed_at.empty()) call["completedAt"] = known.completed_at;
  out = R"({"call":)";
  append_json(out, call);
  // Empty: it was not kept, or nobody knows.
  if (!known.result.empty()) out += R"(,"result":)" + known.result;
  out += '}';
  co_return out;
}

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  const std::string id = in.required_string("callId");
  const auto wait_ms = in.optional_int("waitMs", 0, kLongestWait);
  if (in.error()) co_return request->fail(*in.error());
  const LiveCallPtr live = daemon.calls.find(id);
  if (!live) {
    std::string known = co_await from_journal(daemon, *request, id);
    if (!known.empty()) co_return request->reply(std::string_view(known));
  }
  if (!live || !may_use(*request->connection, live->call->session->id)) {
    co_return request->fail(make_error(
        Code::call_not_found, "There is no call \"" + id + "\" here.",
        "listCalls has the calls that are known."));
  }
  if (wait_ms.value_or(0) > 0 && !live->done->ready()) {
    co_await wait(live, *request, daemon, *wait_ms);
  }
  if (request->stop.requested()) co_return;
  std::string out = R"({"call":)";
  append_json(out, summary(*live->call));
  if (live->done->ready()) {
    out += R"(,"result":)";
    out += *live->call->result_text;
  }
  out += '}';
  request->reply(std::string_view(out));
}

}  // namespace

const MethodDefinition get_call_method{
    .name = "getCall", .roles = kCaller | kObserver | kApprover, .later = run};

}  // namespace toolhost
