// JSONC: JSON with comments and trailing commas, and where its keys stand.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::config {

// Both from 1; a column is a character.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

Position position_at(std::string_view text, std::size_t offset);

// "file:line:column".
std::string place(const std::string& file, Position position);

// The value of `text` (a BOM is skipped), or configInvalid with file, line and
// column in the message and the details. A key that is written twice in one
// object is an error: one of the two would be dropped in silence, and it could
// be the one that denies.
Result<json::value> parse_jsonc(std::string_view text, const std::string& file);

// Where the key at `path` stands ({"rules", "3", "action"}; items of a list
// count from 0), or its nearest parent. `text` has to be accepted by
// parse_jsonc.
Position find_key(std::string_view text, const std::vector<std::string>& path);

}  // namespace toolhost::config
