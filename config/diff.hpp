// What a reload changes, and what of it has to wait for a restart.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"

namespace toolhost::config {

// The keys ("limits.frameBytes") whose values differ, in the table's order.
std::vector<std::string> changed_keys(const Config& a, const Config& b);

// Those of them that cannot change in a running daemon: what is allocated or
// opened once at its start (the ring of events, the journal's durability, the
// log file).
std::vector<std::string> needs_restart(const Config& a, const Config& b);

}  // namespace toolhost::config
