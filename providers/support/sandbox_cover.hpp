// Is there something at a path, or only what the sandbox of another command
// keeps there (launch/covers.hpp)?
#pragma once

#include <string>

namespace toolhost {

// A link is something, wherever it leads.
bool really_exists(const std::string& path);

}  // namespace toolhost
