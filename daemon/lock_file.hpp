// The lock that makes this daemon the only one of its folder.
//
// flock on a file that is never removed (removing it would let two starters
// lock two files of one name), held for life; its content is our pid.
#pragma once

#include <string>

#include "protocol/error.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

// The error names the process that holds it.
Result<UniqueFd> take_lock(const std::string& path);

// Makes the folder (0700) and those above it where they are missing; refuses
// one that is a link, not ours, or writable by others.
Result<void> prepare_private_folder(const std::string& path);

}  // namespace toolhost
