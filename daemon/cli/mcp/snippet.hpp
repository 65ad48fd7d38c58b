// The entry that makes a client start `toolhost mcp`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::cli::mcp {

struct Snippet {
  std::string text;   // ready to be pasted, ends with a line feed
  std::string where;  // one sentence: which file it belongs to
};

// Clients that have one.
std::span<const std::string_view> snippet_clients();

// `program` is the absolute path of this program: clients that a desktop
// started often have a PATH without it. `arguments` begin with "mcp".
Result<Snippet> config_snippet(std::string_view client,
                               const std::string& program,
                               const std::vector<std::string>& arguments);

}  // namespace toolhost::cli::mcp
