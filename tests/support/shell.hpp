// shell(): runs a command line of the test's own and returns what it said.
#pragma once

#include <string>

namespace toolhost::testing {

struct ShellResult {
  int status = -1;
  std::string output;  // standard output and error
};

ShellResult shell(const std::string& command);

}  // namespace toolhost::testing
