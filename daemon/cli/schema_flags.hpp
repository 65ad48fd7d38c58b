// Flags made from a tool's schema: `-- --path README.md --limit 5`.
//
// A property is a flag of its name (dashes may stand for underscores and for
// camel case): strings as typed, numbers and booleans read, `--flag` and
// `--no-flag` for booleans, arrays by repeating or as JSON, the rest as JSON.
// Only the form is judged here; the daemon judges the values.
#pragma once

#include <string>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::cli {

Result<json::object> arguments_from_flags(
    const json::object& schema, const std::vector<std::string>& words);

// One line per property, for help: "--path TEXT  required; File to read."
std::vector<std::string> describe_flags(const json::object& schema);

}  // namespace toolhost::cli
