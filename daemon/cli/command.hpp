// Command: one word of the command line, declared as data.
//
// The parser, the help, the completions and the man page test read the same
// table (commands.cpp).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/cli/console.hpp"
#include "daemon/cli/exit_code.hpp"
#include "protocol/client.hpp"
#include "protocol/clock.hpp"

namespace toolhost::cli {

// What a shell offers for a value.
enum class Completes {
  nothing,
  file,
  folder,
  tool,
  approval,
  call,
  topic,
  shell
};

struct OptionSpec {
  std::string_view name;   // "--workspace"
  std::string_view value;  // "DIR"; empty: a flag
  std::string_view help;
  Completes completes = Completes::nothing;
};

struct ArgumentSpec {
  std::string_view name;  // "ID"
  std::string_view help;
  bool required = true;
  bool repeats = false;
  Completes completes = Completes::nothing;
};

struct Globals {
  bool json = false;
  bool no_input = false;
  bool caller = false;  // --caller: the restricted socket
  std::string socket;
  std::optional<Milliseconds> timeout;
};

struct Invocation;

struct Command {
  std::string_view name;
  std::string_view summary;
  std::span<const ArgumentSpec> arguments;
  std::span<const OptionSpec> options;
  // What follows `--` are flags of a tool, not of ours.
  bool takes_tool_flags = false;
  int (*run)(Invocation& invocation) = nullptr;
};

// What was typed, by names of the specs ("--workspace", "ID").
class Arguments {
 public:
  void add(std::string_view name, std::string value);
  bool has(std::string_view name) const;
  // Empty when absent.
  std::string get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;

  // After `--`, when the command takes tool flags.
  std::vector<std::string> tool_flags;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

struct Invocation {
  Globals globals;
  Arguments arguments;
  Console& console;
};

// Sorted by name: the command line on one page.
std::span<const Command* const> commands();
// Options that every command takes.
std::span<const OptionSpec> global_options();

// Prints the error (an object with --json) and returns its exit code.
int fail(Invocation& invocation, const Error& error);
// A wrong use that the parser could not see.
int usage(Invocation& invocation, std::string message, std::string hint = {});

}  // namespace toolhost::cli
