#include "providers/builtin/tools.hpp"

#include <array>

namespace toolhost::builtin {

std::span<const ToolDefinition* const> tools() {
  static constexpr std::array kTools{
      &apply_patch_tool, &bash_tool, &edit_tool, &glob_tool,
      &grep_tool,        &ls_tool,   &read_tool, &write_tool,
  };
  return kTools;
}

}  // namespace toolhost::builtin
