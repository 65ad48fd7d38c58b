// JSONC text → Config, or an error with file, line and column.
#pragma once

#include <string>
#include <string_view>

#include "config/config.hpp"
#include "protocol/error.hpp"

namespace toolhost {

// The commented example that is installed and built in (default.jsonc).
extern const std::string_view kDefaultConfig;

}  // namespace toolhost

namespace toolhost::config {

// Comments and trailing commas are allowed. An unknown key is an error that
// names the nearest known one; so is a value of the wrong type or range.
Result<Config> parse_config(std::string_view text, std::string file);

// A missing file is the defaults; an unreadable one is an error.
Result<Config> load_config(const std::string& file);

}  // namespace toolhost::config
