// Presets of `toolhost mcp`: short words for a stricter policy.
//
// They go to the daemon as the context of every request, which can only narrow:
// none of them gives an agent anything that the configuration does not.
#pragma once

#include <span>
#include <string_view>

#include "protocol/error.hpp"

namespace toolhost::cli::mcp {

struct Preset {
  std::string_view name;
  std::string_view summary;
  // Policy members of `context`; an empty one is left out.
  std::string_view mode;
  std::string_view sandbox_mode;
  std::string_view approval_policy;
};

std::span<const Preset> presets();

// Policy members for `context`. An unknown name is an error that lists the
// known ones; an empty one is no preset. `read_only` goes on top.
Result<json::object> narrowing(std::string_view preset, bool read_only);

}  // namespace toolhost::cli::mcp
