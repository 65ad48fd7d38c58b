// How many words of a command say what it does ("git commit", not "git"), and
// so what "always" may remember.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gates/command/judge.hpp"

namespace toolhost::command {

// The words that identify the command: the program, known options before the
// sub-command, and as many more as the table says. Empty for no words. The
// longest row that matches decides; without a row it is the program alone.
std::vector<std::string> identity(const std::vector<Argument>& words);

struct Remembered {
  std::string pattern;  // "git commit *"
  // What runs is decided by files that an agent may edit (npm run, make, a
  // script of the workspace): such a rule counts only inside an enforced
  // sandbox.
  bool project_runner = false;
};

// nullopt: nothing may be remembered. That is so for launchers (what runs is
// an argument), for programs that are nothing without a sub-command, where an
// identifying word is decided when it runs, is an option that no table knows,
// or could be read as a wildcard.
std::optional<Remembered> remembered_pattern(
    const std::vector<Argument>& words);

// What runs is given by its arguments or its input: a rule on it would be a
// rule on everything. By normal_name().
bool is_launcher(std::string_view program, std::string_view sub);

// The number of rows of the arity table, for its test.
std::size_t arity_rows();

}  // namespace toolhost::command
