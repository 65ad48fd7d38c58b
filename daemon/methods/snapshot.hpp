// The state that a subscription starts from: what its events would have told.
#pragma once

#include "daemon/event_stream.hpp"

namespace toolhost {

struct Daemon;

// Members by the filter's topics: approvals (pending), calls (live), providers,
// toolsHash. At most 200 approvals and 4 MiB; `more` is then the cursor for
// listApprovals (the id of the last one given).
json::object snapshot(Daemon& daemon, const Connection& connection,
                      const EventFilter& filter);

}  // namespace toolhost
