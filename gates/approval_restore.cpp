#include "gates/approval_restore.hpp"

#include "gates/session_store.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

json::value millis(const std::optional<Milliseconds>& time) {
  return time ? json::value(time->count()) : json::value();
}

json::object kept_form(const Requester& requester) {
  json::object out;
  out["connectionId"] = requester.connection_id;
  out["clientName"] = requester.client_name;
  out["clientVersion"] = requester.client_version;
  out["agentName"] = requester.agent_name;
  out["process"] = to_json(requester.process);
  json::array ancestry;
  for (const ProcessIdentity& each : requester.ancestry) {
    ancestry.push_back(to_json(each));
  }
  out["ancestry"] = std::move(ancestry);
  out["exe"] = requester.exe;
  return out;
}

json::object kept_form(const PolicyWish& wish) {
  json::object out;
  const auto list = [](const auto& names) {
    json::array all;
    for (const auto& each : names) all.emplace_back(each);
    return all;
  };
  if (wish.roots) out["roots"] = list(*wish.roots);
  if (wish.mode) out["mode"] = name(*wish.mode);
  if (wish.sandbox) out["sandboxMode"] = name(*wish.sandbox);
  if (wish.approvals) out["approvalPolicy"] = name(*wish.approvals);
  json::object tools;
  if (wish.allowed_tools) tools["allowed"] = list(*wish.allowed_tools);
  if (wish.blocked_tools) tools["blocked"] = list(*wish.blocked_tools);
  if (!tools.empty()) out["tools"] = std::move(tools);
  json::object providers;
  if (wish.allowed_providers) {
    providers["allowed"] = list(*wish.allowed_providers);
  }
  if (wish.blocked_providers) {
    providers["blocked"] = list(*wish.blocked_providers);
  }
  if (!providers.empty()) out["providers"] = std::move(providers);
  return out;
}

json::array kept_form(const std::vector<ApprovalOption>& options) {
  json::array out;
  for (const ApprovalOption& option : options) {
    json::object row;
    row["id"] = option.id;
    row["kind"] = option.kind;
    row["label"] = option.label;
    row["scope"] = name(option.scope);
    json::array rules;
    for (const Rule& rule : option.rules) rules.push_back(to_json(rule));
    row["rules"] = std::move(rules);
    out.push_back(std::move(row));
  }
  return out;
}

json::object kept_form(const Question& question) {
  json::object out;
  out["workspace"] = question.workspace;
  out["cwd"] = question.cwd;
  out["tool"] = question.tool;
  out["title"] = question.title;
  out["subject"] = question.subject;
  out["arguments"] = question.arguments;
  out["argumentsDigest"] = question.arguments_digest;
  out["complete"] = question.complete;
  out["artifact"] = question.arguments_artifact;
  out["digest"] = question.digest;
  json::array because;
  for (const auto& [gate, detail] : question.because) {
    because.push_back(json::array{gate, detail});
  }
  out["because"] = std::move(because);
  out["options"] = kept_form(question.options);
  out["humanOnly"] = question.human_only;
  return out;
}

}  // namespace

json::object kept_form(const Call& call, const RuleStore& rules) {
  json::object session;
  json::object whole = kept_form(*call.session);
  if (call.session->implicit) {
    session = std::move(whole);
  } else {
    session["callers"] = whole["callers"];
  }
  session["rules"] = kept_rules(call.session->id, rules.list());
  json::object request;
  request["tool"] = call.tool_name;
  request["arguments"] = call.raw_arguments;
  request["turnId"] = call.turn_id;
  request["wish"] = kept_form(call.wish);
  request["cwd"] = call.cwd;
  request["idempotencyKey"] = call.idempotency_key;
  request["reason"] = call.reason;
  request["requester"] = kept_form(call.requester);
  request["timeoutMs"] = millis(call.timeout);
  request["approvalTimeoutMs"] = millis(call.approval_timeout);
  request["stays"] = call.stays;
  json::object out;
  out["call"] = std::move(request);
  out["session"] = std::move(session);
  return out;
}

JournalApproval journal_row(const std::string& approval_id, Question& question,
                            WallTime now) {
  JournalApproval row;
  row.approval_id = approval_id;
  row.call_id = question.call_id;
  row.session_id = question.session_id;
  row.asked_at = rfc3339(now);
  json::object body = std::move(question.call);
  question.call.clear();
  body["question"] = kept_form(question);
  body["askedAtMs"] =
      std::chrono::duration_cast<Milliseconds>(now.time_since_epoch()).count();
  row.body = json_text(body);
  return row;
}

}  // namespace toolhost
