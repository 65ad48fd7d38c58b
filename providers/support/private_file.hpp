// Private files of the daemon's own: read only when nobody else could have
// written them, replaced whole.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "protocol/error.hpp"

namespace toolhost {

// A missing file is empty text. Refuses links, files of other users and files
// that others may write; at most `max_bytes`.
Result<std::string> read_private_file(const std::string& file,
                                      std::size_t max_bytes);

// Mode 0600; wholly old or wholly new at any moment (temporary file in the same
// folder, fsync, rename, fsync of the folder). What the system says of the new
// file, so that a later change by somebody else can be told.
Result<struct stat> replace_private_file(const std::string& file,
                                         std::string_view text);

}  // namespace toolhost
