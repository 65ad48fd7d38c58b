#include "daemon/execute_request.hpp"

#include <array>

#include "protocol/digest.hpp"
#include "protocol/fields.hpp"
#include "protocol/ids.hpp"

namespace toolhost {
namespace {

constexpr std::array<std::string_view, 2> kModes{"wait", "detach"};
constexpr std::array<std::string_view, 3> kStreams{"none", "progress",
                                                   "output"};
constexpr std::array<std::string_view, 2> kOnDisconnect{"cancel", "continue"};
constexpr std::size_t kMaxKey = 128;
constexpr std::size_t kMaxReason = 4096;
constexpr std::int64_t kMaxTimeout = 24 * 3600 * 1000;

void read_context(ExecuteRequest& out, Fields& outer) {
  const json::object* context = outer.optional_object("context");
  if (!context) return;
  Fields in(*context, "params.context");
  out.turn_id = in.optional_string("turnId").value_or("");
  out.agent_name = in.optional_string("agentName").value_or("");
  if (out.turn_id.size() > kMaxKey) in.fail("turnId", "is too long");
  if (out.agent_name.size() > kMaxKey) in.fail("agentName", "is too long");
  if (in.error()) {
    outer.fail("context", "is not usable: " + in.error()->message);
  }
}

std::optional<Milliseconds> millis(std::optional<std::int64_t> value) {
  if (!value) return std::nullopt;
  return Milliseconds(*value);
}

}  // namespace

Result<ExecuteRequest> decode_execute(const json::object& params) {
  Fields in(params, "params");
  ExecuteRequest out;
  out.tool = in.required_string("name");
  if (const json::object* given = in.optional_object("arguments")) {
    out.arguments = *given;
  }
  if (auto id = in.optional_string("callId")) {
    if (!is_id(*id, "call_")) {
      in.fail("callId", "must be \"call_\" and 16 to 80 of [A-Za-z0-9_-]");
    }
    out.call_id = std::move(*id);
    out.named_by_caller = true;
  }
  out.key = in.optional_string("idempotencyKey").value_or("");
  if (out.key.size() > kMaxKey) {
    in.fail("idempotencyKey", "is longer than 128 bytes");
  }
  out.cwd = in.optional_string("cwd").value_or("");
  out.reason = in.optional_string("reason").value_or("");
  if (out.reason.size() > kMaxReason) {
    in.fail("reason", "is longer than 4096 bytes");
  }
  out.detach = in.optional_choice("mode", kModes) == "detach";
  out.continue_on_disconnect =
      in.optional_choice("onDisconnect", kOnDisconnect)
          .value_or(out.detach ? "continue" : "cancel") == "continue";
  const auto stream =
      in.optional_choice("stream", kStreams).value_or("progress");
  out.stream = stream == "none"     ? ExecuteRequest::Stream::none
               : stream == "output" ? ExecuteRequest::Stream::output
                                    : ExecuteRequest::Stream::progress;
  out.dry_run = in.optional_bool("dryRun").value_or(false);
  out.timeout = millis(in.optional_int("timeoutMs", 1, kMaxTimeout));
  out.approval_timeout =
      millis(in.optional_int("approvalTimeoutMs", 1, kMaxTimeout));
  read_context(out, in);
  if (in.error()) return *in.error();
  if (out.call_id.empty()) out.call_id = random_id("call_");
  if (!out.key.empty() || out.named_by_caller) {
    out.digest = json_digest(json::value(out.arguments));
  }
  return out;
}

}  // namespace toolhost
