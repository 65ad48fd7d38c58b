// One approval by the beginning of its id.
#pragma once

#include <string>

#include "daemon/cli/approval_text.hpp"
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {

// Looks among the pending ones first; a whole id also finds one that was
// resolved a moment ago.
Result<ShownApproval> find_approval(Client& client, const Globals& globals,
                                    const std::string& typed);

// The pending ones, oldest first.
Result<json::array> pending_approvals(Client& client, const Globals& globals);

}  // namespace toolhost::cli
