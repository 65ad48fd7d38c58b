// The `toolhost` program without its main.
#pragma once

#include <string>
#include <vector>

#include "daemon/cli/console.hpp"

namespace toolhost::cli {

// What standard input and output are: terminals, NO_COLOR, width.
Console::Traits detect_traits();

// `words` without the program's name. Returns the exit code.
int run(std::vector<std::string> words, Console& console);

}  // namespace toolhost::cli
