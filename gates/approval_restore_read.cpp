// Reading a kept call. Whatever is missing or of another type is an error: the
// call is then given up, and nothing of it ran.
#include <algorithm>

#include "gates/approval_restore.hpp"
#include "gates/session_store.hpp"
#include "protocol/digest.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

std::optional<Milliseconds> read_millis(Fields& in, std::string_view name) {
  const auto count = in.optional_int(name, 1, 7LL * 24 * 3600 * 1000);
  if (!count) return std::nullopt;
  return Milliseconds(*count);
}

Requester restored_requester(const json::object& kept) {
  Fields in(kept, "requester");
  Requester out;
  out.connection_id = in.optional_string("connectionId").value_or("");
  out.client_name = in.optional_string("clientName").value_or("");
  out.client_version = in.optional_string("clientVersion").value_or("");
  out.agent_name = in.optional_string("agentName").value_or("");
  out.exe = in.optional_string("exe").value_or("");
  if (const json::value* process = kept.if_contains("process")) {
    out.process = restored_process(*process);
  }
  if (const json::array* ancestry = in.optional_array("ancestry")) {
    for (const json::value& each : *ancestry) {
      out.ancestry.push_back(restored_process(each));
    }
  }
  return out;
}

Result<void> read_call(Call& call, const json::object& kept) {
  Fields in(kept, "call");
  call.tool_name = in.required_string("tool");
  call.turn_id = in.optional_string("turnId").value_or("");
  call.cwd = in.optional_string("cwd").value_or("");
  call.idempotency_key = in.optional_string("idempotencyKey").value_or("");
  call.reason = in.optional_string("reason").value_or("");
  call.timeout = read_millis(in, "timeoutMs");
  call.approval_timeout = read_millis(in, "approvalTimeoutMs");
  call.stays = in.optional_bool("stays").value_or(false);
  const json::object* arguments = in.optional_object("arguments");
  const json::object* requester = in.optional_object("requester");
  const json::object* wish = in.optional_object("wish");
  if (in.error()) return *in.error();
  if (!arguments || !requester || !wish) {
    return make_error(Code::internal,
                      "the call has no arguments, requester or wish");
  }
  call.raw_arguments = *arguments;
  call.raw_digest = json_digest(json::value(*arguments));
  call.requester = restored_requester(*requester);
  auto parsed = parse_wish(*wish, "call.wish");
  if (!parsed) return parsed.error();
  call.wish = std::move(*parsed);
  Fields roots(*wish, "call.wish");
  call.wish.roots = roots.optional_strings("roots");
  if (roots.error()) return *roots.error();
  return {};
}

// What an option would remember, to be shown; what is remembered in the end is
// made anew when the call is judged again.
Rule shown_rule(const json::object& kept) {
  Fields in(kept, "rule");
  Rule rule;
  rule.permission = in.optional_string("permission").value_or("");
  rule.pattern = in.optional_string("pattern").value_or("");
  rule.workspace = in.optional_string("workspace").value_or("");
  rule.session = in.optional_string("session").value_or("");
  rule.text = in.optional_string("text").value_or("");
  rule.action = parse_rule_action(in.optional_string("action").value_or(""))
                    .value_or(RuleAction::ask);
  rule.scope = parse_scope(in.optional_string("scope").value_or(""))
                   .value_or(Scope::call);
  return rule;
}

std::vector<ApprovalOption> restored_options(const json::array& kept) {
  std::vector<ApprovalOption> out;
  for (const json::value& each : kept) {
    if (!each.is_object()) continue;
    Fields in(each.get_object(), "option");
    ApprovalOption option;
    option.id = in.optional_string("id").value_or("");
    option.kind = in.optional_string("kind").value_or("");
    option.label = in.optional_string("label").value_or("");
    option.scope = parse_scope(in.optional_string("scope").value_or(""))
                       .value_or(Scope::call);
    if (const json::array* rules = in.optional_array("rules")) {
      for (const json::value& rule : *rules) {
        if (rule.is_object()) {
          option.rules.push_back(shown_rule(rule.get_object()));
        }
      }
    }
    out.push_back(std::move(option));
  }
  return out;
}

Result<Question> restored_question(const json::object& kept, const Call& call) {
  Fields in(kept, "question");
  Question out;
  out.call_id = call.id;
  out.turn_id = call.turn_id;
  out.requester = call.requester;
  out.agent_reason = call.reason;
  out.timeout = call.approval_timeout;
  out.workspace = in.optional_string("workspace").value_or("");
  out.cwd = in.optional_string("cwd").value_or("");
  out.title = in.optional_string("title").value_or("");
  out.arguments_digest = in.optional_string("argumentsDigest").value_or("");
  out.complete = in.optional_bool("complete").value_or(false);
  out.arguments_artifact = in.optional_string("artifact").value_or("");
  out.digest = in.required_string("digest");
  out.human_only = in.optional_bool("humanOnly").value_or(true);
  const json::object* tool = in.optional_object("tool");
  const json::object* subject = in.optional_object("subject");
  const json::object* arguments = in.optional_object("arguments");
  const json::array* because = in.optional_array("because");
  const json::array* options = in.optional_array("options");
  if (in.error()) return *in.error();
  if (!tool || !subject || !arguments || !because || !options) {
    return make_error(Code::internal, "the question is not complete");
  }
  out.tool = *tool;
  out.subject = *subject;
  out.arguments = *arguments;
  for (const json::value& each : *because) {
    const json::array* pair = each.if_array();
    if (!pair || pair->size() != 2 || !(*pair)[0].is_string() ||
        !(*pair)[1].is_string()) {
      continue;
    }
    out.because.emplace_back((*pair)[0].get_string(), (*pair)[1].get_string());
  }
  out.options = restored_options(*options);
  return out;
}

Decision restored_decision(const JournalDecision& row) {
  Decision out;
  out.kind =
      row.decision == "allow" ? Decision::Kind::allow : Decision::Kind::deny;
  out.option_id = row.option_id;
  out.scope = parse_scope(row.scope).value_or(Scope::call);
  out.comment = row.comment;
  out.decided_at = row.decided_at;
  boost::system::error_code ec;
  const json::value by = json::parse(row.decided_by, ec);
  if (!ec && by.is_object()) out.decided_by = by.get_object();
  return out;
}

// Asked then, as the monotonic clock would have it; never in the future.
SteadyTime asked_then(std::int64_t wall_ms, const Clock& clock) {
  const auto now =
      std::chrono::duration_cast<Milliseconds>(clock.wall().time_since_epoch());
  const auto age = std::max(now - Milliseconds(wall_ms), Milliseconds(0));
  return clock.steady() - age;
}

Result<RestoredCall> restored(const json::object& body,
                              const JournalApproval& row, const Clock& clock) {
  Fields in(body, "approval");
  const json::object* call = in.optional_object("call");
  const json::object* question = in.optional_object("question");
  const json::object* session = in.optional_object("session");
  const auto asked =
      in.optional_int("askedAtMs", 0, std::int64_t{1} << 53).value_or(0);
  if (in.error()) return *in.error();
  if (!call || !question || !session) {
    return make_error(Code::internal, "a call, question or session is missing");
  }
  RestoredCall out;
  out.call = std::make_shared<Call>();
  out.call->id = row.call_id;
  if (auto read = read_call(*out.call, *call); !read) return read.error();
  auto shown = restored_question(*question, *out.call);
  if (!shown) return shown.error();
  if (session->contains("owner")) {
    auto whole = restored_session(*session);
    if (!whole) return whole.error();
    out.session = std::move(*whole);
  }
  Fields of_session(*session, "session");
  if (const json::array* callers = of_session.optional_array("callers")) {
    for (const json::value& each : *callers) {
      out.callers.insert(restored_process(each));
    }
  }
  if (const json::value* rules = session->if_contains("rules")) {
    out.rules = *rules;
  }
  auto approval = std::make_shared<Approval>();
  approval->id = row.approval_id;
  approval->question = std::move(*shown);
  approval->question.session_id = row.session_id;
  approval->created_at = row.asked_at;
  approval->created = asked_then(asked, clock);
  if (row.decision) {
    approval->decision = restored_decision(*row.decision);
    approval->state = "resolved";
  }
  find_suspicious(*approval);
  out.call->restored = std::move(approval);
  out.call->asked = true;
  return out;
}

}  // namespace

Result<RestoredCall> restore_call(const JournalApproval& row,
                                  const Clock& clock) {
  boost::system::error_code ec;
  // Arguments may nest as deep as a frame; the rest adds a few levels.
  json::parse_options options;
  options.max_depth = 80;
  const json::value body = json::parse(row.body, ec, {}, options);
  if (ec || !body.is_object()) {
    return make_error(Code::internal, "it is not a JSON object");
  }
  return restored(body.get_object(), row, clock);
}

}  // namespace toolhost
