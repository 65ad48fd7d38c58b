// The policy table and what rules say of one call: pure, so that the security
// matrix can be tested as data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/call.hpp"
#include "gates/rules.hpp"

namespace toolhost {

// approvalPolicy × tool policy: does a person have to say yes? `listed` is
// membership in the session's allow list for policy `untrusted`. Policy never
// is refused by earlier gates and answers true here.
bool policy_asks(ApprovalPolicy session, ToolPolicy tool, bool listed);

// danger-full-access and auto together: a person chose to be asked nothing.
bool full_access(const Policy& policy);

struct PermissionVerdict {
  RuleAction action = RuleAction::allow;
  std::vector<std::pair<std::string, std::string>> because;
  std::vector<Rule> matched;      // of a denial
  std::vector<std::string> used;  // ids of the deciding rules
};

// Rules first: a deny of any ask denies; an ask rule asks; an allow has to
// cover every ask; otherwise the policy table decides.
PermissionVerdict judge_permission(const Call& call, const RuleStore& rules);

}  // namespace toolhost
