// Frames and requests: who may ask what, and how it is answered.

#include <array>
#include <exception>

#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/refusal.hpp"
#include "protocol/json_text.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// Frames up to here are parsed in memory of the stack: no allocation. Larger
// ones own their memory, so that arguments move on without a copy.
constexpr std::size_t kSmallFrame = 1024;
constexpr std::size_t kParseMemory = 8U << 10;
// For requests that end others: more at a time would be an attack.
constexpr int kReservedSlots = 16;
// What a well-behaved client waits before it tries again.
constexpr int kRetryAfterMs = 100;

Error overloaded(int limit) {
  Error error = make_error(
      Code::overloaded,
      std::to_string(limit) + " requests of this connection are in flight.",
      "Wait for a reply, or use mode \"detach\" for long calls.");
  error.details["retryAfterMs"] = kRetryAfterMs;
  error.details["limit"] = limit;
  return error;
}

Error failed(std::string_view method, std::string_view what) {
  log_error("a method failed method=" + std::string(method) +
            " error=" + std::string(what));
  return make_error(Code::internal,
                    "The daemon failed to answer " + std::string(method) + ".",
                    "Its log has the details.");
}

}  // namespace

// Every whole frame that was read, until the peer has to fetch replies first:
// then true, there may be more.
bool Connection::dispatch_held() {
  const Corked gathered(*this);
  while (open_ && !closing_) {
    if (outbox_.slow()) return true;
    const auto frame = reader_.next();
    if (!frame) {
      bad_frame_ = true;
      log_warn("a frame was refused: " + frame.error().message + described());
      close_with(frame.error());
      return false;
    }
    if (!*frame) return false;
    dispatch(**frame);
  }
  return false;
}

void Connection::dispatch(std::string_view frame) {
  std::array<unsigned char, kParseMemory> memory;
  json::monotonic_resource small(memory.data(), memory.size());
  json::storage_ptr storage;
  if (frame.size() <= kSmallFrame) storage = &small;
  auto request = parse_request(frame, storage);
  if (!request) return fail(request.error().id, request.error().error);
  if (request->is_notification()) return dispatch_notification(*request);
  dispatch_request(std::move(*request));
}

void Connection::dispatch_request(Request request) {
  const MethodDefinition* method = daemon_.server.method_named(request.method);
  if (const auto refused = refusal(*this, method, request)) {
    return fail(request.id, *refused);
  }
  if (!in_flight_.empty() && in_flight_.contains(request.id)) {
    return fail(request.id, make_error(Code::invalid_request,
                                       "The id " + request.id +
                                           " is in flight on this connection.",
                                       "Give every request an id of its own."));
  }
  if (method->now) return answer_now(*method, request);
  start_later(*method, std::move(request));
}

// One of the two walls where exceptions end; the other one is in run().
void Connection::answer_now(const MethodDefinition& method,
                            const Request& request) {
  std::string what;
  try {
    const auto result = method.now(daemon_, *this, request.params);
    if (result) return answer(request.id, *result);
    return fail(request.id, result.error());
  } catch (const std::exception& error) {
    what = error.what();
  }
  fail(request.id, failed(method.name, what));
}

void Connection::start_later(const MethodDefinition& method, Request request) {
  const bool reserved = method.reserved_slot;
  int& used = reserved ? reserved_in_flight_ : ordinary_in_flight_;
  const int limit =
      reserved ? kReservedSlots : daemon_.config->limits.requests_in_flight;
  if (used >= limit) return fail(request.id, overloaded(limit));
  ++used;
  auto pending = std::make_shared<PendingRequest>(
      shared_from_this(), request.id, std::move(request.params), reserved);
  in_flight_.emplace(std::move(request.id), pending);
  requests_.spawn(run(&method, std::move(pending)));
}

Task<void> Connection::run(const MethodDefinition* method,
                           std::shared_ptr<PendingRequest> request) {
  std::string what;
  try {
    co_await method->later(daemon_, request);
    co_return;
  } catch (const std::exception& error) {
    what = error.what();
  }
  request->fail(failed(method->name, what));
}

void Connection::request_ended(const std::string& id, bool reserved) {
  in_flight_.erase(id);
  --(reserved ? reserved_in_flight_ : ordinary_in_flight_);
  if (in_flight_.empty()) wake();
}

void Connection::stop_requests(const std::string& why) {
  // A stop may end requests: the map changes under way.
  const auto all = in_flight_;
  for (const auto& [id, weak] : all) {
    if (const auto request = weak.lock()) request->stop.request(why);
  }
}

// $/cancelRequest is the only one; others are ignored, as the peer cannot be
// told.
void Connection::dispatch_notification(const Request& request) {
  if (request.method != "$/cancelRequest") return;
  const json::value* id = request.params.if_contains("id");
  if (!id) return;
  const auto found = in_flight_.find(json_text(*id));
  if (found == in_flight_.end()) return;
  if (const auto pending = found->second.lock()) {
    pending->stop.request("The client cancelled the request.");
  }
}

}  // namespace toolhost
