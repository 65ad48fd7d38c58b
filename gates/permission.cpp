// Asks: do rules, the policy table and unskippable reasons allow, deny or ask?
// Refuses: permissionDenied, with the rules that matched.
// Adds: because (empty: nobody has to be asked), may_remember,
// workspace_untrusted.
// Why here: everything that could refuse without a person has refused; what is
// left is a matter of permission.
#include "gates/permission_policy.hpp"

#include "gates/gates.hpp"
#include "gates/hooks/hook_files.hpp"
#include "gates/protected_paths.hpp"
#include "gates/workspace_trust.hpp"

namespace toolhost::gates {
namespace {

CallError denied(const PermissionVerdict& verdict) {
  const Rule& rule = verdict.matched.back();
  CallError error = make_call_error(
      CallErrorKind::permission_denied,
      "A rule denies this: \"" + rule.permission + " " + rule.pattern + "\".",
      "Do it another way, or ask the person to change the rule "
      "(toolhost rules).");
  json::array rules;
  for (const Rule& each : verdict.matched) rules.push_back(to_json(each));
  error.details["rules"] = std::move(rules);
  return error;
}

std::string primary_root(const Call& call) {
  return call.policy.roots.empty() ? std::string() : call.policy.roots.front();
}

// Reasons that always ask, and of which nothing can be remembered.
void add_unskippable(Call& call, const Parts& parts) {
  const bool full = full_access(call.policy);
  const auto always = [&](std::string gate, std::string detail) {
    call.because.emplace_back(std::move(gate), std::move(detail));
    call.may_remember = false;
  };
  if (!call.hook_asks.empty()) always("hook", call.hook_asks);
  for (const WriteTarget& target : call.resolution.targets) {
    const std::string& path = target.path.physical;
    const bool ours = own_path(path, parts.own_folders);
    const std::string hook = hook_that_runs(
        path, *parts.registry.snapshot()->config, primary_root(call));
    if (!hook.empty()) {
      always("protectedFile", "The hook \"" + hook + "\" runs this file.");
      continue;
    }
    if (full && !ours) continue;
    if (auto why = protected_path(path, parts.own_folders)) {
      always("protectedFile", std::move(*why));
    }
  }
  if (!full && !call.resolution.always_ask.empty()) {
    always("command", call.resolution.always_ask);
  }
}

}  // namespace

Refusal permission(Call& call, Parts& parts) {
  PermissionVerdict verdict = judge_permission(call, parts.rules);
  if (verdict.action == RuleAction::deny) return denied(verdict);
  const std::string now = rfc3339(parts.clock.wall());
  for (const std::string& id : verdict.used) parts.rules.used(id, now);
  call.rules = std::move(verdict.used);
  call.because = std::move(verdict.because);
  call.may_remember = verdict.may_remember;
  if (verdict.asks) call.resolution.asks = std::move(*verdict.asks);
  add_unskippable(call, parts);
  const config::Config& current = *parts.registry.snapshot()->config;
  // Under full access there is no boundary that trust would open.
  call.workspace_untrusted =
      !call.tool->tool.pure_read && !full_access(call.policy) &&
      !trusted_workspace(*call.session, call.policy, current, parts.rules);
  return std::nullopt;
}

}  // namespace toolhost::gates
