// What the file tools share: the `path` argument, and errors about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "providers/execution.hpp"

namespace toolhost::builtin {

// The file that arguments.path names ("." when it is absent).
Outcome<ResolvedPath> path_argument(const json::object& arguments,
                                    const ToolContext& context);

// For what does not exist: says so, and names what is similar beside it.
CallError missing_file(const Workspace& workspace, const ResolvedPath& path);

// A whole number, whatever JSON made of it; nullopt when absent or null.
std::optional<std::int64_t> integer_argument(const json::object& arguments,
                                             std::string_view name);
// Empty when absent.
std::string string_argument(const json::object& arguments,
                            std::string_view name);

}  // namespace toolhost::builtin
