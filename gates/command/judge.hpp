// judge(): what a parsed command line may run and touch.
//
// Every command in the tree is listed, wherever it stands; a command that
// starts another (env, xargs, sh -c …) is listed and so is what it starts, as
// deep as it goes. What cannot be seen is said as a Reason: then a person has
// to look, and nothing about the line may be remembered.
// Pure; values only; bounded by the limits below and those of the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gates/command/parser.hpp"

namespace toolhost::command {

// More commands than this are not judged: the line is not understood.
constexpr std::size_t kMaxCommands = 2000;
constexpr std::size_t kMaxPaths = 4000;
// Commands in texts in commands: sh -c "sh -c …", and wrappers in wrappers.
constexpr unsigned kMaxUnwrap = 10;

struct Argument {
  std::string text;         // without quotes; holes as they were written
  std::vector<Hole> holes;  // what is decided when it runs
  bool many = false;        // may become several arguments or none
  bool tilde = false;       // begins with an unquoted ~

  bool is_static() const { return holes.empty(); }
  // Is even the first byte decided when it runs?
  bool open_start() const { return !holes.empty() && holes.front().at == 0; }
  std::string_view static_prefix() const {
    return std::string_view(text).substr(
        0, holes.empty() ? text.size() : holes.front().at);
  }
};

// One command that may run.
struct Command {
  std::vector<Argument> words;  // the program and its arguments
  // Wrappers and texts around it: 0 is written in the line itself.
  unsigned depth = 0;
  // Only starts what is listed after it (timeout, nice …) or changes nothing
  // (cd, true …): needs no allow of its own. Denies and asks still count.
  bool transparent = false;
};

enum class Access : std::uint8_t { read, write, append, execute, unknown };

enum class Certainty : std::uint8_t {
  sure,      // a redirection, or an option that names a file
  likely,    // an argument of a program that is known to take files there
  possible,  // an argument that looks like a path
};

struct PathUse {
  // As written, quotes off; `~` at the start means the home if `tilde`. Of a
  // path that is decided when it runs, the part before that.
  std::string path;
  Access access = Access::unknown;
  Certainty certainty = Certainty::possible;
  bool complete = true;  // false: only the beginning is known
  bool tilde = false;
  // A rule for the program does not cover it: a redirection, or an option that
  // makes a reading program write.
  bool separate = false;
  // A folder that a `cd` before it may have entered ("": the start folder).
  // There is one entry for each folder that is possible.
  std::string base;
  bool base_known = true;
};

// Why a person has to look, whatever the rules say.
enum class ReasonKind : std::uint8_t {
  not_understood,
  dynamic_program,  // which program runs is decided when it runs
  hidden_code,      // runs code that is not judged
  variable,         // sets what changes the meaning of commands
  shell_state,      // changes how the rest of the line is read
  unknown_option,   // an option of a wrapper, or one that nobody can see
  dynamic_target,   // writes a file that is named when it runs
  network,          // the shell itself opens a connection
};

std::string_view name(ReasonKind kind);

struct Reason {
  ReasonKind kind = ReasonKind::not_understood;
  std::string text;  // a sentence for a person
};

struct Judgement {
  bool understood = true;  // false: `commands` is what was seen until then
  std::vector<Command> commands;
  std::vector<PathUse> paths;
  std::vector<Reason> reasons;
};

Judgement judge(const Parsed& parsed);
// parse() and judge().
Judgement judge(std::string_view text);

// The last component: "/usr/bin/git" is "git".
std::string_view base_name(std::string_view program);
// The name that tables use: base name, lower case, without ".exe" and without
// a version ("python3.11" is "python").
std::string normal_name(std::string_view program);
// The words with one blank between them.
std::string joined(const std::vector<Argument>& words);

}  // namespace toolhost::command
