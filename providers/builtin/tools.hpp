// The builtin tools, by name. A new tool is one file, one line here, one line
// in tools.cpp and one test.
#pragma once

#include <span>

#include "providers/builtin/definition.hpp"

namespace toolhost::builtin {

extern const ToolDefinition apply_patch_tool;
extern const ToolDefinition bash_tool;
extern const ToolDefinition edit_tool;
extern const ToolDefinition glob_tool;
extern const ToolDefinition grep_tool;
extern const ToolDefinition ls_tool;
extern const ToolDefinition read_tool;
extern const ToolDefinition write_tool;

// Sorted by name.
std::span<const ToolDefinition* const> tools();

}  // namespace toolhost::builtin
