// The judge at work. Private to judge.cpp, unwrap.cpp, tricks.cpp, builtins.cpp
// and path_uses.cpp, each of which looks at one side of a command.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gates/command/judge.hpp"

namespace toolhost::command {

using Arguments = std::vector<Argument>;

// Around a command.
struct Around {
  unsigned depth = 0;
  const Word* standard_input = nullptr;  // the body of a here-document
};

class Judge {
 public:
  explicit Judge(Judgement& out) : out_(out) {}

  // judge.cpp
  void tree(const Tree& tree, unsigned depth);
  void node(const Node& node, unsigned depth);
  void nested(const Word& word, unsigned depth);
  void simple(const Node& node, unsigned depth);
  void redirect(const Redirect& redirect, unsigned depth);
  void command(Arguments words, const Around& around);
  // A text that a shell runs. `bash`: with all that bash understands.
  void text(std::string_view code, bool bash, unsigned depth);
  void reason(ReasonKind kind, std::string text);
  void path(const Argument& argument, Access access, Certainty certainty,
            bool separate = false);
  void arithmetic(const Tree& tree);

  // unwrap.cpp
  void unwrap(const std::string& name, const Arguments& words,
              const Around& around);

  // tricks.cpp
  void tricks(const std::string& name, const Arguments& words,
              const Around& around);
  void command_of(const Argument& program, const Around& around);
  // scripts.cpp
  void scripts(const std::string& name, const Arguments& words,
               const Around& around);

  // builtins.cpp
  void builtin(const std::string& name, const Arguments& words);
  void variable(std::string_view name, bool exported, bool for_one_command);
  void assigned(std::string_view name, const Argument* value);
  void change_folder(const Argument& target);

  // path_uses.cpp
  void path_uses(const std::string& name, const Arguments& words);
  void archive(const Arguments& words);

 private:
  friend struct Unwrapping;

  Judgement& out_;
  const Tree* tree_ = nullptr;
  // Variables that hold more than a number; those that bash itself sets first.
  std::set<std::string, std::less<>> texts_{
      "_",       "BASH_ARGV", "BASH_COMMAND", "BASH_REMATCH", "DIRSTACK",
      "MAPFILE", "OLDPWD",    "OPTARG",       "PWD",          "REPLY"};
  std::vector<std::string> bases_{std::string()};
  bool bases_known_ = true;
};

Argument argument_of(const Word& word);
// What an argument is made of when nothing of it is known.
Argument unknown_argument();

}  // namespace toolhost::command
