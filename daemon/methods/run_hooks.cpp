// runHooks: an agent tells of a moment around its calls, and hears what the
// hooks of that phase say. The tool phases are the pipeline's own.
#include <array>

#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "gates/hooks/call_event.hpp"
#include "gates/hooks/lifecycle.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

using config::HookPhase;

constexpr std::array<std::string_view, 4> kPhases{
    "UserPromptSubmit", "TurnStart", "TurnEnd", "PreCompact"};
constexpr std::array<std::string_view, 3> kStatuses{"completed", "failed",
                                                    "aborted"};
constexpr std::size_t kLongestId = 128;
constexpr std::size_t kLongestPrompt = 1 << 20;
constexpr std::size_t kLongestText = 16 * 1024;

struct Asked {
  HookPhase phase = HookPhase::turn_start;
  std::string turn_id;
  json::object facts;  // of the phase, as the hook reads them
};

Result<Asked> decode(const json::object& params) {
  Fields in(params, "params");
  Asked out;
  const std::string phase = in.required_string("phase");
  (void)in.optional_choice("phase", kPhases);
  out.turn_id = in.optional_string("turnId").value_or("");
  if (out.turn_id.size() > kLongestId) in.fail("turnId", "is too long");
  auto prompt = in.optional_string("prompt");
  auto status = in.optional_choice("status", kStatuses);
  auto error = in.optional_string("error");
  auto reason = in.optional_string("reason");
  if (in.error()) return *in.error();
  out.phase = config::parse_hook_phase(phase).value();
  const auto put = [&](std::string_view name, std::optional<std::string>& text,
                       std::size_t longest) {
    if (!text) return;
    if (text->size() > longest) {
      in.fail(name, "is longer than " + std::to_string(longest) + " bytes");
    }
    out.facts[name] = std::move(*text);
  };
  put("prompt", prompt, kLongestPrompt);
  put("status", status, kLongestText);
  put("error", error, kLongestText);
  put("reason", reason, kLongestText);
  if (in.error()) return *in.error();
  if (out.phase == HookPhase::user_prompt_submit &&
      !out.facts.contains("prompt")) {
    return make_error(Code::invalid_params,
                      "params.prompt is missing: UserPromptSubmit tells the "
                      "hooks what the person wrote.",
                      "Send the prompt as a string.");
  }
  return out;
}

HookEvent event_of(const Connection& connection, const Session& session,
                   const Asked& asked) {
  HookEvent out;
  out.phase = asked.phase;
  out.surface = connection.client.name;
  out.call_id = session.id;
  if (!session.policy.roots.empty()) {
    out.workspace = session.policy.roots.front();
  }
  out.payload = common_payload(asked.phase, session, session.policy,
                               asked.turn_id, out.surface);
  for (const auto& member : asked.facts) {
    out.payload[member.key()] = member.value();
  }
  return out;
}

json::array notes_json(std::vector<HookNote>& notes) {
  json::array out;
  for (HookNote& note : notes) {
    json::object row;
    row["hook"] = std::move(note.hook);
    row["text"] = std::move(note.text);
    out.push_back(std::move(row));
  }
  return out;
}

json::object result_json(LifecycleResult& result) {
  json::object out;
  out["decision"] = result.denied ? "deny" : "allow";
  if (result.denied) {
    out["kind"] = info(result.failed ? CallErrorKind::hook_failed
                                     : CallErrorKind::hook_denied)
                      .kind;
    out["hook"] = std::move(result.denied_by);
    out["reason"] = std::move(result.reason);
  }
  out["hooks"] = result.hooks;
  out["context"] = notes_json(result.context);
  out["warnings"] = notes_json(result.warnings);
  return out;
}

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Connection& connection = *request->connection;
  auto asked = decode(request->params);
  if (!asked) co_return request->fail(asked.error());
  auto session = session_for(daemon, connection, request->params);
  if (!session) co_return request->fail(session.error());
  const SnapshotPtr current = daemon.registry.snapshot();
  const SnapshotPtr pinned =
      daemon.turns.pin((*session)->id, asked->turn_id, current);
  HookEvent event = event_of(connection, **session, *asked);
  std::vector<config::Hook> hooks =
      hooks_for(*pinned->config, *current->config, event);
  // What only observes goes to its end also when the agent is gone: the end of
  // a turn is when agents leave.
  const bool guard = is_guard(asked->phase);
  Stop& stop = guard ? request->stop : daemon.hooks.until_stopped();
  LifecycleResult result = co_await run_lifecycle(
      daemon.hooks, std::move(hooks), std::move(event), stop);
  if (result.cancelled && request->stop.requested()) co_return;
  if (result.cancelled) {
    co_return request->fail(make_error(Code::shutting_down,
                                       "The daemon is stopping.",
                                       "Connect again in a moment."));
  }
  request->reply(result_json(result));
}

}  // namespace

const MethodDefinition run_hooks_method{
    .name = "runHooks", .roles = kCaller, .later = run};

}  // namespace toolhost
