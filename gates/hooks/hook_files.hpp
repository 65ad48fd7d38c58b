// Files that hooks run: who changes one, changes what runs unasked.
#pragma once

#include <string>

#include "config/config.hpp"

namespace toolhost {

// The name of the first hook whose command names this file (absolute, every
// link followed); empty: none. A word of a shell command counts as well as an
// argument; relative ones start at the hook's folder, or at `workspace`.
std::string hook_that_runs(const std::string& file,
                           const config::Config& config,
                           const std::string& workspace);

}  // namespace toolhost
