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

// The arguments of an approval that is too large to travel whole (complete is
// false): reads them from the daemon, checks that they are what the approval's
// argumentsDigest is over, and puts them in. Nothing to do otherwise; on an
// error the approval stays as it is and cannot be allowed.
Result<void> fetch_whole(Client& client, const Globals& globals,
                         ShownApproval& approval);

// The pending ones, oldest first.
Result<json::array> pending_approvals(Client& client, const Globals& globals);

}  // namespace toolhost::cli
