// Asks: does the session's policy let anything run?
// Refuses: policyBlocked.
// Adds: nothing.
// Why here: a veto that no rule and no person lifts, judged before the tool is
// asked what it would do.
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal session_policy(Call& call) {
  if (call.policy.approvals != ApprovalPolicy::never) return std::nullopt;
  return make_call_error(
      CallErrorKind::policy_blocked,
      "The session's approval policy is \"never\": nothing may run in it.",
      "Ask the person to change the session's approval policy.");
}

}  // namespace toolhost::gates
