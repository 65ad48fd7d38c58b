// argv → which command with which arguments. The only user of CLI11.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/cli/command.hpp"

namespace toolhost::cli {

struct Parsed {
  const Command* command = nullptr;
  Globals globals;
  Arguments arguments;
  // Set instead of `command`: text to print (help), or what was wrong.
  std::string message;
  int exit_code = kOk;
};

// `words` without the program's name.
Parsed parse(std::vector<std::string> words);

}  // namespace toolhost::cli
