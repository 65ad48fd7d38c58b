// Asks: what does the person say?
// Refuses: approvalDenied (with the comment), approvalExpired,
// approvalWithdrawn, tooManyApprovals, cancelled.
// Adds: approval.
// Why here: last before anything happens. The coroutine sleeps here; facts are
// looked at again after it.
#include "gates/approval_restore.hpp"
#include "gates/gates.hpp"
#include "gates/permission_policy.hpp"
#include "gates/workspace_trust.hpp"
#include "protocol/digest.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost::gates {
namespace {

json::object tool_json(const Call& call) {
  json::object tool = to_json(call.tool->tool);
  tool.erase("inputSchema");
  tool.erase("description");
  return tool;
}

Question common_question(const Call& call) {
  Question question;
  question.call_id = call.id;
  question.session_id = call.session->id;
  question.turn_id = call.turn_id;
  if (!call.policy.roots.empty()) {
    question.workspace = call.policy.roots.front();
  }
  question.cwd = call.cwd;
  question.requester = call.requester;
  question.agent_reason = call.reason;
  question.timeout = call.approval_timeout;
  return question;
}

// A yes is meant for now: one that was recorded before a kill counts that long.
constexpr std::chrono::minutes kYesHolds{5};

bool still_meant(const Approval& decided, const Clock& clock) {
  if (decided.decision->kind != Decision::Kind::allow) return true;
  // RFC 3339 with the same fields sorts like the time.
  return decided.decision->decided_at >= rfc3339(clock.wall() - kYesHolds);
}

// The answer to a question that was asked before a restart, nullptr where it
// has to be asked (anew).
Task<ApprovalPtr> asked_before_restart(Call& call, Parts& parts,
                                       Question& question) {
  ApprovalPtr earlier = std::exchange(call.restored, nullptr);
  if (!earlier) co_return nullptr;
  const bool same = earlier->question.digest == question.digest;
  if (!parts.approvals.is_open(*earlier)) {
    if (!same || !still_meant(*earlier, parts.clock)) co_return nullptr;
    parts.approvals.honour(*earlier, question);
    co_return earlier;
  }
  if (!same) {
    std::string why =
        "What the call would do is not what was shown before the daemon "
        "started again; it is asked anew.";
    co_await parts.approvals.conclude(earlier, std::move(why), "withdrawn");
    co_return nullptr;
  }
  co_return co_await parts.approvals.resume(std::move(earlier),
                                            std::move(question), call.stop);
}

ApprovalOption simple_option(std::string id, std::string kind,
                             std::string label) {
  ApprovalOption option;
  option.id = std::move(id);
  option.kind = std::move(kind);
  option.label = std::move(label);
  return option;
}

Rule rule_for(const Call& call, const PermissionAsk& ask, Scope scope) {
  Rule rule;
  rule.permission = ask.permission;
  rule.pattern = ask.remember;
  rule.action = RuleAction::allow;
  rule.scope = scope;
  std::string where;
  if (scope == Scope::session) {
    rule.session = call.session->id;
    where = " in this session";
  } else if (scope == Scope::workspace) {
    rule.workspace = call.policy.roots.front();
    where = " in " + rule.workspace;
  }
  rule.text = "Allow " + ask.permission + " \"" + ask.remember + "\"" + where +
              " without asking.";
  return rule;
}

// The scopes in which every ask of this call may be remembered.
void add_remembering(const Call& call, std::vector<ApprovalOption>& options) {
  const auto& asks = call.resolution.asks;
  if (!call.may_remember || asks.empty()) return;
  for (const PermissionAsk& ask : asks) {
    // A name with a star in it would be remembered as a pattern.
    const bool exact = ask.remember == ask.pattern;
    if (ask.remember.empty()) return;
    if (exact && ask.remember.find_first_of("*?\\") != std::string::npos) {
      return;
    }
  }
  for (const Scope scope : {Scope::session, Scope::workspace, Scope::always}) {
    if (scope == Scope::workspace && call.policy.roots.empty()) continue;
    ApprovalOption option =
        simple_option("allow_" + std::string(name(scope)), "allow_always", {});
    option.scope = scope;
    for (const PermissionAsk& ask : asks) {
      option.rules.push_back(rule_for(call, ask, scope));
      option.label +=
          (option.label.empty() ? "" : " ") + option.rules.back().text;
    }
    options.push_back(std::move(option));
  }
}

// Over everything that is shown and that runs.
std::string shown_digest(const Call& call) {
  json::object shown;
  shown["tool"] = call.tool_name;
  shown["definition"] = call.tool->definition_hash;
  shown["arguments"] = call.arguments;
  shown["cwd"] = call.cwd;
  json::array roots;
  for (const std::string& root : call.policy.roots) roots.emplace_back(root);
  shown["roots"] = std::move(roots);
  shown["sandbox"] = name(call.policy.sandbox);
  json::array targets;
  for (const WriteTarget& target : call.resolution.targets) {
    json::object row;
    row["path"] = to_utf8(target.path.physical);
    row["operation"] = target.operation;
    row["device"] = target.device;
    row["inode"] = target.inode;
    targets.push_back(std::move(row));
  }
  shown["targets"] = std::move(targets);
  shown["subject"] = call.resolution.subject;
  shown["base"] = call.resolution.base_revision;
  return json_digest(shown);
}

// Arguments over this are shown as a preview; the whole is an artifact.
constexpr std::size_t kShownArguments = 64 * 1024;
constexpr std::size_t kPreview = 4096;

// False: they could not be kept, so nobody could see the whole.
bool show_arguments(const Call& call, Parts& parts, Question& question) {
  question.arguments = call.arguments;
  const std::string text = json_text(call.arguments);
  if (text.size() <= kShownArguments) return true;
  auto kept = parts.artifacts.create(call.session->id, text.size());
  if (!kept) return false;
  kept->append(text);
  if (kept->cut()) return false;
  question.complete = false;
  question.arguments_artifact = kept->id();
  question.arguments.clear();
  question.arguments["preview"] = utf8_prefix(text, kPreview);
  question.arguments["totalBytes"] = text.size();
  return true;
}

Question tool_question(Call& call, Parts& parts) {
  Question question = common_question(call);
  question.tool = tool_json(call);
  question.title = call.resolution.title;
  question.subject = call.resolution.subject;
  question.arguments_digest = call.arguments_digest;
  question.digest = shown_digest(call);
  question.because = call.because;
  question.options.push_back(
      simple_option("allow_once", "allow_once", "Allow this once."));
  add_remembering(call, question.options);
  question.options.push_back(
      simple_option("reject_once", "reject_once", "Deny this."));
  // The call outlives its question: it sleeps in this gate meanwhile.
  question.judge_again = [&call, &parts]() -> std::optional<Decision> {
    return answer_by_rules(call, parts);
  };
  return question;
}

Question trust_question(const Call& call) {
  Question question = common_question(call);
  const std::string& root = call.policy.roots.front();
  question.tool["name"] = "workspace";
  question.tool["title"] = "Trust a workspace";
  question.title = "Trust " + root + " as a workspace";
  question.subject["type"] = "workspace";
  question.subject["path"] = to_utf8(root);
  question.arguments["path"] = to_utf8(root);
  question.arguments_digest = json_digest(question.arguments);
  question.digest = json_digest(question.subject);
  question.because.emplace_back(
      "workspaceTrust",
      "A caller names this folder for the first time; until it is trusted, "
      "only tools that read work in it.");
  for (const Scope scope : {Scope::session, Scope::always}) {
    ApprovalOption option = simple_option(
        scope == Scope::session ? "allow_once" : "allow_always",
        scope == Scope::session ? "allow_once" : "allow_always", {});
    option.scope = scope;
    for (const std::string& each : call.policy.roots) {
      Rule rule;
      rule.permission = kWorkspacePermission;
      rule.pattern = each;
      rule.action = RuleAction::allow;
      rule.scope = scope;
      if (scope == Scope::session) rule.session = call.session->id;
      rule.text = "Trust " + each + " as a workspace" +
                  (scope == Scope::session ? " in this session." : ".");
      option.label += (option.label.empty() ? "" : " ") + rule.text;
      option.rules.push_back(std::move(rule));
    }
    question.options.push_back(std::move(option));
  }
  question.options.push_back(
      simple_option("reject_once", "reject_once", "Do not trust it."));
  return question;
}

CallError refusal_of(const Approval& approval) {
  const Decision& decision = *approval.decision;
  const std::string what = "\"" + approval.question.title + "\" ";
  switch (decision.kind) {
    case Decision::Kind::expired:
      return make_call_error(
          CallErrorKind::approval_expired,
          what + "was not answered in time; nothing was run.",
          "A person answers with `toolhost inbox` or a connected frontend.");
    case Decision::Kind::withdrawn:
      return make_call_error(CallErrorKind::approval_withdrawn,
                             what + "was withdrawn: " + decision.comment,
                             "Nothing was run.");
    default: {
      std::string message = what + "was denied; nothing was run.";
      if (!decision.comment.empty()) {
        message += " The answer says: " + decision.comment;
      }
      CallError error = make_call_error(
          CallErrorKind::approval_denied, std::move(message),
          "Do not try the same again; do what the answer says, or ask.");
      if (!decision.comment.empty()) {
        error.details["comment"] = decision.comment;
      }
      error.details["decidedBy"] = decision.decided_by;
      return error;
    }
  }
}

// By pointer: the frames that wait for a person hold no copy of it.
using QuestionPtr = std::unique_ptr<Question>;

Task<Refusal> ask(Call& call, Parts& parts, QuestionPtr question) {
  call.state = CallState::waiting_for_approval;
  ApprovalPtr answered = co_await asked_before_restart(call, parts, *question);
  if (!answered) {
    question->call = kept_form(call, parts.rules);
    call.asked = true;
    auto asked = co_await parts.approvals.ask(std::move(*question),
                                              call.session, call.stop);
    question.reset();
    if (!asked) co_return asked.error();
    answered = std::move(*asked);
  }
  call.state = CallState::checking;
  const Approval& approval = *answered;
  ApprovalNote note;
  note.approval_id = approval.id;
  note.decision = name(approval.decision->kind);
  note.scope = name(approval.decision->scope);
  note.decided_by = approval.decision->decided_by;
  call.approval = std::move(note);
  if (call.stop.requested()) {
    co_return make_call_error(CallErrorKind::cancelled, call.stop.reason(),
                              "Nothing was run.");
  }
  if (approval.decision->kind != Decision::Kind::allow) {
    co_return refusal_of(approval);
  }
  co_return std::nullopt;
}

}  // namespace

std::optional<Decision> answer_by_rules(Call& call, Parts& parts) {
  const PermissionVerdict verdict = judge_permission(call, parts.rules);
  const bool unskippable = !call.may_remember;
  if (verdict.action == RuleAction::ask) return std::nullopt;
  if (verdict.action == RuleAction::allow && unskippable) return std::nullopt;
  Decision decision;
  decision.kind = verdict.action == RuleAction::deny ? Decision::Kind::deny
                                                     : Decision::Kind::allow;
  if (!verdict.used.empty()) decision.decided_by["rule"] = verdict.used.back();
  return decision;
}

namespace {

Task<Refusal> ask_all(Call& call, Parts& parts) {
  if (call.workspace_untrusted) {
    auto question = std::make_unique<Question>(trust_question(call));
    Refusal no = co_await ask(call, parts, std::move(question));
    if (no) co_return no;
  }
  if (call.because.empty()) co_return std::nullopt;
  // The rule may have come while the workspace question was open.
  if (call.may_remember) {
    const auto answered = answer_by_rules(call, parts);
    if (answered && answered->kind == Decision::Kind::allow) {
      co_return std::nullopt;
    }
  }
  auto question = std::make_unique<Question>(tool_question(call, parts));
  if (!show_arguments(call, parts, *question)) {
    co_return make_call_error(
        CallErrorKind::invalid_arguments,
        "The arguments are too large to be shown to a person as a whole.",
        "Do it in smaller steps.");
  }
  Refusal no = co_await ask(call, parts, std::move(question));
  if (no) co_return no;
  // A person may have taken hours: what tightened meanwhile still counts.
  if (Refusal late = resolve_tool(call, parts)) co_return late;
  co_return std::nullopt;
}

}  // namespace

Task<Refusal> approval(Call& call, Parts& parts) {
  Refusal no = co_await ask_all(call, parts);
  // Asked before a restart, and the rules of now need no answer.
  if (ApprovalPtr earlier = std::exchange(call.restored, nullptr)) {
    std::string why = "The rules allow it now; no answer is needed.";
    co_await parts.approvals.conclude(std::move(earlier), std::move(why),
                                      "withdrawn");
  }
  co_return no;
}

}  // namespace toolhost::gates
