#include "gates/permission_policy.hpp"

#include "gates/command_permission.hpp"

namespace toolhost {
namespace {

RuleVerdict verdict_of(const Call& call, const PermissionAsk& ask,
                       const RuleStore& rules) {
  RuleQuestion question;
  question.permission = ask.permission;
  question.pattern = ask.pattern;
  if (!call.policy.roots.empty()) {
    question.workspace = call.policy.roots.front();
  }
  question.session = call.session->id;
  question.turn = call.turn_id;
  return rules.judge(question);
}

}  // namespace

bool policy_asks(ApprovalPolicy session, ToolPolicy tool, bool listed) {
  if (tool == ToolPolicy::never) return true;
  const bool quiet_tool = tool == ToolPolicy::automatic;
  switch (session) {
    case ApprovalPolicy::automatic:
      return false;
    case ApprovalPolicy::on_request:
    case ApprovalPolicy::suggest:
      return !quiet_tool;
    case ApprovalPolicy::untrusted:
      return !(quiet_tool && listed);
    case ApprovalPolicy::always:
    case ApprovalPolicy::never:
      return true;
  }
  return true;
}

bool full_access(const Policy& policy) {
  return policy.approvals == ApprovalPolicy::automatic &&
         policy.sandbox == SandboxMode::danger_full_access;
}

void add_policy_question(const Call& call, PermissionVerdict& verdict) {
  // A hook lifts the table's question only: rules and what always asks stay.
  if (call.hook_allows) return;
  const bool listed = call.policy.untrusted_allow_list.contains(call.tool_name);
  const ToolPolicy tool = call.tool->tool.policy;
  if (!policy_asks(call.policy.approvals, tool, listed)) return;
  verdict.because.emplace_back(
      "policy", "The session's approval policy is " +
                    std::string(name(call.policy.approvals)) +
                    " and the tool's policy is " + std::string(name(tool)) +
                    ".");
}

PermissionVerdict judge_permission(const Call& call, const RuleStore& rules) {
  if (!call.resolution.command.empty()) return judge_command(call, rules);
  PermissionVerdict out;
  std::size_t allowed = 0;
  for (const PermissionAsk& ask : call.resolution.asks) {
    const RuleVerdict verdict = verdict_of(call, ask, rules);
    if (!verdict.action) continue;
    out.used.push_back(verdict.matched.back().id);
    switch (*verdict.action) {
      case RuleAction::deny:
        out.action = RuleAction::deny;
        out.matched = verdict.matched;
        return out;
      case RuleAction::ask:
        out.because.emplace_back(
            "rule", "The rule \"" + verdict.matched.back().permission + " " +
                        verdict.matched.back().pattern + "\" asks for " +
                        ask.permission + " " + ask.pattern + ".");
        break;
      case RuleAction::allow:
        ++allowed;
        break;
    }
  }
  const auto& asks = call.resolution.asks;
  const bool lifted = !asks.empty() && allowed == asks.size();
  if (!lifted) add_policy_question(call, out);
  if (!out.because.empty()) out.action = RuleAction::ask;
  return out;
}

}  // namespace toolhost
