// Completion scripts, generated from the table of commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolhost::cli {

// For bash, zsh or fish; nullopt for another shell.
std::optional<std::string> completion_script(std::string_view shell);

}  // namespace toolhost::cli
