#include "gates/command_permission.hpp"

#include "gates/command/spellings.hpp"
#include "gates/command/verdict.hpp"

namespace toolhost {
namespace {

RuleQuestion question_of(const Call& call, std::string_view permission,
                         std::string_view text) {
  RuleQuestion question;
  question.permission = permission;
  question.pattern = text;
  if (!call.policy.roots.empty()) {
    question.workspace = call.policy.roots.front();
  }
  question.session = call.session->id;
  question.turn = call.turn_id;
  return question;
}

std::vector<PermissionAsk> asks_of(const Call& call,
                                   const command::Verdict& verdict) {
  std::vector<PermissionAsk> out;
  for (const command::Remembered& each : verdict.remember) {
    // Outside a sandbox such a rule would be a rule on everything.
    const bool counts = call.resolution.confined || !each.project_runner;
    out.push_back(PermissionAsk{"bash", call.resolution.command,
                                counts ? each.pattern : std::string()});
  }
  if (out.empty()) {
    out.push_back(PermissionAsk{"bash", call.resolution.command, ""});
  }
  return out;
}

}  // namespace

PermissionVerdict judge_command(const Call& call, const RuleStore& rules) {
  PermissionVerdict out;
  command::Rules asked;
  asked.says = [&](std::string_view permission,
                   std::string_view text) -> std::optional<RuleAction> {
    const RuleVerdict verdict =
        rules.judge(question_of(call, permission, text));
    if (!verdict.action) return std::nullopt;
    const std::string& id = verdict.matched.back().id;
    if (out.used.empty() || out.used.back() != id) out.used.push_back(id);
    return verdict.action;
  };
  asked.may_restrict = [&](std::string_view permission,
                           const std::vector<std::string>& pieces) {
    return rules.restricts(question_of(call, permission, {}),
                           [&](const std::string& pattern) {
                             return command::may_match(pattern, pieces);
                           });
  };
  const std::string& line = call.resolution.command;
  const command::Judgement judgement = command::judge(line);
  command::Verdict verdict = command::decide(line, judgement, asked);
  if (verdict.action != RuleAction::deny && full_access(call.policy)) {
    // A person chose to be asked nothing: what cannot be seen asks no more,
    // rules still do.
    command::Judgement known = judgement;
    known.reasons.clear();
    verdict = command::decide(line, known, asked);
  }

  out.action = verdict.action;
  if (verdict.action == RuleAction::deny) {
    out.matched =
        rules
            .judge(question_of(call, verdict.denied_permission, verdict.denied))
            .matched;
    return out;
  }
  for (std::string& why : verdict.because) {
    out.because.emplace_back("command", std::move(why));
  }
  const bool runs_inside =
      call.resolution.confined &&
      call.snapshot->config->sessions.run_sandboxed &&
      (call.policy.approvals == ApprovalPolicy::on_request ||
       call.policy.approvals == ApprovalPolicy::suggest);
  // An allow of "make *" is one of whatever the Makefile says: outside a
  // sandbox it lifts nothing.
  const bool unfounded = verdict.action == RuleAction::allow &&
                         verdict.project_runner && !call.resolution.confined;
  if ((verdict.open || unfounded) && !runs_inside) {
    add_policy_question(call, out);
  }
  out.may_remember = verdict.may_remember;
  out.asks = asks_of(call, verdict);
  out.action = out.because.empty() ? RuleAction::allow : RuleAction::ask;
  return out;
}

}  // namespace toolhost
