// Programs that start other programs: how their own arguments end, and what
// the rest is. Data; unwrap.cpp reads it.
//
// An option that is not in a row is not guessed: the line asks.
#pragma once

#include <cstdint>
#include <string_view>

namespace toolhost::command {

enum class WrapperKind : std::uint8_t {
  words,        // the rest are the words of a command
  assignments,  // NAME=value words first, then a command (env, sudo)
  appended,     // a command to which more arguments are added (xargs)
  joined_text,  // the rest, joined, is a text for a shell (watch, ssh)
  shell,        // sh: -c TEXT, a script, or what stands in its input
  other_shell,  // a shell with another grammar: nothing inside is seen
  eval,         // joined, in this shell
  source,       // a file, in this shell
  trap,         // the first argument is a text
  find,         // -exec and its like, anywhere
  fd,           // -x, -X, --exec and what follows
};

struct Wrapper {
  std::string_view program;
  std::string_view sub;           // second word ("exec" of docker), or empty
  std::string_view flags;         // short options without a value
  std::string_view values;        // short options with one
  std::string_view long_flags;    // names, one blank between them
  std::string_view long_values;   // --name value, --name=value
  std::string_view text_options;  // short options whose value is a shell text
  unsigned skip = 0;              // arguments of its own before the command
  WrapperKind kind = WrapperKind::words;
  // Adds nothing of its own: no rule is needed for it, only for the rest.
  bool transparent = false;
};

// The row of a program, by normal_name(); nullptr: it is no known wrapper.
// `sub` is the first argument.
const Wrapper* find_wrapper(std::string_view program, std::string_view sub);

// Needs no allow of its own: transparent wrappers, and builtins that change
// nothing outside the shell (cd, true, test …). By the word as written: a file
// of that name in another folder is not the program.
bool is_transparent(std::string_view program);

// Is it a program whose name may carry a version (python3.11)?
bool is_versioned(std::string_view name);

}  // namespace toolhost::command
