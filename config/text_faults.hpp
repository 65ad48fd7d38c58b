// What is wrong with the strings of the configuration: a sentence's end, or
// empty when nothing is.
#pragma once

#include <string>
#include <string_view>

namespace toolhost::config {

// Letters, digits, _ . - and at most 128 of them.
std::string tool_name_fault(std::string_view text);

// "builtin", "mcp:my server": 1 to 128 bytes without control characters.
std::string provider_name_fault(std::string_view text);

// A name that execve would take, and not one that is ours or that makes the
// dynamic linker load foreign code into every command.
std::string variable_name_fault(std::string_view text);

// Absolute, and not the root itself.
std::string workspace_fault(std::string_view text);

// Empty or absolute.
std::string log_file_fault(std::string_view text);

}  // namespace toolhost::config
