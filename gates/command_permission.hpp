// The permission of a call that runs a command line: every command in it is
// judged by itself, in every spelling (gates/command).
#pragma once

#include "gates/permission_policy.hpp"

namespace toolhost {

// Pure but for the parse: the same rules give the same verdict. A line that
// stays inside an enforced sandbox may run without a question where the
// configuration says so (sessions.sandboxedCommands), unless a rule or what
// cannot be seen in it asks.
PermissionVerdict judge_command(const Call& call, const RuleStore& rules);

}  // namespace toolhost
