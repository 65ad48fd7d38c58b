// Giving a new file what an old one has: owner, mode, ACL, other xattrs.
#pragma once

#include <sys/stat.h>

#include <string>

#include "providers/support/system_calls.hpp"

namespace toolhost {

// Makes `to` (ours, empty or written) look like `from`, whose fstat result is
// `status`. Empty, or what cannot be kept ("its ACL", "its owner"); then the
// caller has to write into the old file instead of replacing it.
std::string copy_metadata(int from, const struct stat& status, int to,
                          const SystemCalls& calls);

}  // namespace toolhost
