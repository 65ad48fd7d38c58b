// JSONC text → Config, or an error with file, line and column.
#pragma once

#include <string>
#include <string_view>

#include "config/config.hpp"
#include "config/paths.hpp"
#include "protocol/error.hpp"

namespace toolhost {

// The commented example that is installed and built in (default.jsonc).
extern const std::string_view kDefaultConfig;

}  // namespace toolhost

namespace toolhost::config {

// Comments and trailing commas are allowed. An unknown key is an error that
// names the nearest known one; so are a value of the wrong type or range and a
// key that is written twice. `file` is only a name for messages. The error's
// details: file, line, column, and `faults`, all that were found (20 at most).
// Any bytes are safe.
Result<Config> parse_config(std::string_view text, std::string file);

// A missing file is the defaults; an unreadable one is an error, and so is one
// that is no regular file, over kMaxConfigBytes, writable by others or owned by
// another user than us and root.
inline constexpr std::size_t kMaxConfigBytes = 1U << 20;
Result<Config> load_config(const std::string& file);

// The same, but a file that somebody named has to be there.
Result<Config> load_config(const Paths& paths);

}  // namespace toolhost::config
