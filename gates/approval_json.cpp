// What clients see of an approval.
#include "gates/approval_queue.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

json::array because_json(
    const std::vector<std::pair<std::string, std::string>>& because) {
  json::array out;
  for (const auto& [gate, detail] : because) {
    json::object row;
    row["gate"] = gate;
    row["detail"] = display_text(detail);
    out.push_back(std::move(row));
  }
  return out;
}

json::array options_json(const std::vector<ApprovalOption>& options) {
  json::array out;
  for (const ApprovalOption& option : options) {
    json::object row;
    row["optionId"] = option.id;
    row["kind"] = option.kind;
    row["label"] = display_text(option.label);
    row["scope"] = name(option.scope);
    if (!option.rules.empty()) {
      json::object rule;
      std::string text;
      json::array match;
      for (const Rule& each : option.rules) {
        text += (text.empty() ? "" : " ") + each.text;
        match.push_back(to_json(each));
      }
      rule["text"] = display_text(text);
      rule["match"] = std::move(match);
      row["rule"] = std::move(rule);
    }
    out.push_back(std::move(row));
  }
  return out;
}

json::object resolution_json(const Decision& decision) {
  json::object out;
  out["decision"] = name(decision.kind);
  if (!decision.option_id.empty()) out["optionId"] = decision.option_id;
  out["scope"] = name(decision.scope);
  out["decidedBy"] = decision.decided_by;
  out["decidedAt"] = decision.decided_at;
  if (!decision.comment.empty()) out["comment"] = decision.comment;
  return out;
}

// Every string below, as a person should see it. Names have no lines: a line
// feed in one could forge a line of the prompt.
json::value displayed(const json::value& value, bool keep_lines) {
  if (value.is_string()) {
    return json::value(display_text(value.get_string(), keep_lines));
  }
  if (value.is_array()) {
    json::array out;
    for (const json::value& item : value.get_array()) {
      out.push_back(displayed(item, keep_lines));
    }
    return out;
  }
  if (value.is_object()) {
    json::object out;
    for (const auto& member : value.get_object()) {
      out[display_text(member.key())] = displayed(member.value(), keep_lines);
    }
    return out;
  }
  return value;
}

void collect(const json::value& value, std::vector<std::string>& notes) {
  if (value.is_string()) {
    display_text(value.get_string(), true, &notes);
  } else if (value.is_array()) {
    for (const json::value& item : value.get_array()) collect(item, notes);
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      display_text(member.key(), false, &notes);
      collect(member.value(), notes);
    }
  }
}

// A long run of blanks pushes what follows out of sight.
bool has_padding(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == ' ' || c == '\t' ? run + 1 : 0;
    if (run > kLongest) return true;
  }
  return false;
}

}  // namespace

void find_suspicious(Approval& approval) {
  const Question& question = approval.question;
  collect(json::value(question.subject), approval.suspicious);
  collect(json::value(question.arguments), approval.suspicious);
  display_text(question.title, false, &approval.suspicious);
  display_text(question.agent_reason, false, &approval.suspicious);
  display_text(question.cwd, false, &approval.suspicious);
  const json::value* command = question.subject.if_contains("command");
  if (command && command->is_string() && has_padding(command->get_string())) {
    approval.suspicious.emplace_back("a long run of blanks");
  }
}

json::object to_json(const Approval& approval, const Clock& clock) {
  const Question& question = approval.question;
  json::object out;
  out["approvalId"] = approval.id;
  out["callId"] = question.call_id;
  out["sessionId"] = question.session_id;
  if (!question.turn_id.empty()) out["turnId"] = question.turn_id;
  out["kind"] = "permission";
  out["state"] = approval.state;
  out["revision"] = approval.revision;
  out["createdAt"] = approval.created_at;
  out["expiresAt"] = nullptr;
  if (approval.deadline != SteadyTime::max() && !approval.decision) {
    const auto left = std::chrono::duration_cast<Milliseconds>(
        approval.deadline - clock.steady());
    out["expiresAt"] = rfc3339(clock.wall() + left);
  }
  out["tool"] = question.tool;
  out["requester"] = displayed(to_json(question.requester), false);
  out["workspace"] = question.workspace;
  out["cwd"] = question.cwd;
  out["title"] = display_text(question.title);
  if (!question.agent_reason.empty()) {
    out["agentReason"] = display_text(question.agent_reason);
  }
  out["subject"] = question.subject;
  out["arguments"] = question.arguments;
  out["argumentsDigest"] = question.arguments_digest;
  out["approvalDigest"] = question.digest;
  out["complete"] = question.complete;
  if (!question.arguments_artifact.empty()) {
    out["argumentsArtifact"] = question.arguments_artifact;
  }
  if (!approval.suspicious.empty()) {
    json::object display;
    display["subject"] = displayed(json::value(question.subject), true);
    display["cwd"] = display_text(question.cwd);
    out["display"] = std::move(display);
    json::array notes;
    for (const std::string& each : approval.suspicious) {
      notes.emplace_back(each);
    }
    out["suspicious"] = std::move(notes);
  }
  out["because"] = because_json(question.because);
  out["options"] = options_json(question.options);
  if (approval.decision)
    out["resolution"] = resolution_json(*approval.decision);
  return out;
}

Event event_of(const Approval& approval, std::string method,
               const Clock& clock) {
  Event event;
  event.topic = Topic::approvals;
  event.method = std::move(method);
  event.body["approval"] = to_json(approval, clock);
  event.session = approval.question.session_id;
  event.workspace = approval.question.workspace;
  event.call = approval.question.call_id;
  return event;
}

json::object audit_body(const Approval& approval, const Clock& clock) {
  const Question& question = approval.question;
  const Decision& decision = *approval.decision;
  json::object out = resolution_json(decision);
  out["approvalId"] = approval.id;
  if (const json::value* tool = question.tool.if_contains("name")) {
    out["tool"] = *tool;
  }
  out["title"] = question.title;
  out["requester"] = to_json(question.requester);
  out["argumentsDigest"] = question.arguments_digest;
  out["approvalDigest"] = question.digest;
  out["because"] = because_json(question.because);
  out["askedAt"] = approval.created_at;
  out["waitedMs"] = std::chrono::duration_cast<Milliseconds>(clock.steady() -
                                                             approval.created)
                        .count();
  json::array remembered;
  for (const ApprovalOption& option : question.options) {
    if (option.id != decision.option_id) continue;
    for (const Rule& rule : option.rules) remembered.emplace_back(rule.text);
  }
  if (!remembered.empty() && decision.kind == Decision::Kind::allow) {
    out["remembered"] = std::move(remembered);
  }
  return out;
}

}  // namespace toolhost
