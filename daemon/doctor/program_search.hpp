// Finding programs as execvp would, without running them.
#pragma once

#include <string>
#include <vector>

namespace toolhost::doctor {

// The folders of $PATH, in order; an empty entry is ".".
std::vector<std::string> path_folders();

// The first executable regular file of this name, or empty. Relative folders
// do not count: what they hold depends on who asks.
std::string find_program(const std::string& name);

bool is_executable(const std::string& file);

}  // namespace toolhost::doctor
