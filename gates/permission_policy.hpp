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
  // Of a command line: false when a person has to look each time, and what
  // "always" would remember of its parts.
  bool may_remember = true;
  std::optional<std::vector<PermissionAsk>> asks;
};

// Rules first: a deny of any ask denies; an ask rule asks; an allow has to
// cover every ask; otherwise the policy table decides.
// A command line is judged by its parts (command_permission.hpp).
PermissionVerdict judge_permission(const Call& call, const RuleStore& rules);

// The policy table's question, added to the verdict.
void add_policy_question(const Call& call, PermissionVerdict& verdict);

}  // namespace toolhost
