#include "daemon/cli/parse.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <sstream>

#include "daemon/cli/ages.hpp"
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

// Where CLI11 writes what it finds; addresses have to stay.
struct Slot {
  std::string_view name;
  bool flag = false;
  std::vector<std::string> values;
  CLI::Option* option = nullptr;
};

void add_option(CLI::App& app, const OptionSpec& spec,
                std::deque<Slot>& slots) {
  Slot& slot = slots.emplace_back();
  slot.name = spec.name;
  slot.flag = spec.value.empty();
  const std::string name(spec.name);
  const std::string help(spec.help);
  if (slot.flag) {
    slot.option = app.add_flag(name, help);
    return;
  }
  // The last one counts; a value may start with a dash ("-" is stdin).
  slot.option = app.add_option(name, slot.values, help)
                    ->type_name(std::string(spec.value))
                    ->expected(1)
                    ->allow_extra_args(false)
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_argument(CLI::App& app, const ArgumentSpec& spec,
                  std::deque<Slot>& slots) {
  Slot& slot = slots.emplace_back();
  slot.name = spec.name;
  slot.option = app.add_option(std::string(spec.name), slot.values,
                               std::string(spec.help))
                    ->type_name("");
  // One even where none is required: an option of zero is never filled.
  slot.option->expected(1, spec.repeats ? 1000 : 1);
  // Or the first of two would take both.
  slot.option->allow_extra_args(spec.repeats);
  slot.option->required(spec.required);
}

void read_slots(const std::deque<Slot>& slots, Arguments& out) {
  for (const Slot& slot : slots) {
    if (slot.option->count() == 0) continue;
    if (slot.flag) out.add(slot.name, "true");
    for (const std::string& value : slot.values) out.add(slot.name, value);
  }
}

std::string read_globals(const Arguments& in, Globals& out) {
  out.json = in.has("--json");
  out.no_input = in.has("--no-input");
  out.caller = in.has("--caller");
  out.socket = in.get("--socket");
  if (in.has("--timeout")) {
    out.timeout = parse_duration(in.get("--timeout"));
    if (!out.timeout) {
      return "--timeout takes a duration like 500ms, 30s or 5m, not \"" +
             in.get("--timeout") + "\".";
    }
  }
  return {};
}

struct Tree {
  CLI::App app{"Command line of toolhostd, the local tool daemon.", "toolhost"};
  std::deque<Slot> globals;
  std::map<std::string_view, std::deque<Slot>> slots;
  std::map<std::string_view, CLI::App*> apps;
};

void grow(Tree& tree) {
  tree.app.require_subcommand(1);
  tree.app.set_version_flag("--version", "toolhost " + std::string(kVersion));
  for (const OptionSpec& spec : global_options()) {
    add_option(tree.app, spec, tree.globals);
  }
  for (const Command* command : commands()) {
    CLI::App* app = tree.app.add_subcommand(std::string(command->name),
                                            std::string(command->summary));
    app->fallthrough();
    tree.apps[command->name] = app;
    std::deque<Slot>& slots = tree.slots[command->name];
    for (const ArgumentSpec& spec : command->arguments) {
      add_argument(*app, spec, slots);
    }
    for (const OptionSpec& spec : command->options) {
      add_option(*app, spec, slots);
    }
    if (command->takes_tool_flags) {
      app->footer(
          "After -- come the tool's own arguments as flags: "
          "toolhost call read -- --path README.md");
    }
  }
}

// The command's word is the first that is neither an option nor its value.
const Command* named_command(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const Command* command : commands()) {
      if (command->name == word) return command;
    }
  }
  return nullptr;
}

// Cuts the tool's flags off before CLI11 sees them.
std::vector<std::string> split_tool_flags(std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> before(words.begin(), dashes);
  const Command* command = named_command(before);
  if (dashes == words.end() || !command || !command->takes_tool_flags) {
    return {};
  }
  std::vector<std::string> flags(std::next(dashes), words.end());
  words.erase(dashes, words.end());
  return flags;
}

}  // namespace

Parsed parse(std::vector<std::string> words) {
  Parsed out;
  Tree tree;
  grow(tree);
  out.arguments.tool_flags = split_tool_flags(words);
  const bool wants_json =
      std::find(words.begin(), words.end(), "--json") != words.end();
  out.globals.json = wants_json;
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    tree.app.parse(words);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    std::ostringstream complaint;
    out.exit_code = tree.app.exit(error, text, complaint) == 0 ? kOk : kUsage;
    out.message = text.str() + complaint.str();
    return out;
  }
  Arguments globals;
  read_slots(tree.globals, globals);
  out.message = read_globals(globals, out.globals);
  if (!out.message.empty()) {
    out.exit_code = kUsage;
    return out;
  }
  for (const Command* command : commands()) {
    if (!tree.apps[command->name]->parsed()) continue;
    out.command = command;
    read_slots(tree.slots[command->name], out.arguments);
  }
  return out;
}

}  // namespace toolhost::cli
