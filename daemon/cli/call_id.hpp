// Calls named by the beginning of their id.
#pragma once

#include <string>

#include "daemon/cli/dial.hpp"

namespace toolhost::cli {

// The whole id among recent calls. A connection that may not list calls gets
// back what was typed.
Result<std::string> find_call_id(Client& client, const Globals& globals,
                                 const std::string& typed);

}  // namespace toolhost::cli
