// Hook: one entry of `hooks` in the configuration file, checked.
//
// What the phases mean, what a hook is told and what it may answer:
// gates/hooks/README.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/clock.hpp"

namespace toolhost::config {

enum class HookPhase {
  pre_tool_use,
  post_tool_use,
  user_prompt_submit,
  turn_start,
  turn_end,
  pre_compact,
};
// "PreToolUse" and so on.
std::string_view name(HookPhase phase);
std::optional<HookPhase> parse_hook_phase(std::string_view word);

// A guard may say no, so its failure has to be one, too; the others observe.
constexpr bool is_guard(HookPhase phase) {
  return phase <= HookPhase::user_prompt_submit;
}

// What a workflow may do with what it is told.
enum class HookMode { observe, block, rewrite };
std::string_view name(HookMode mode);

struct Hook {
  // For messages and statistics; made of the command when it is not given.
  std::string name;
  HookPhase phase = HookPhase::pre_tool_use;

  // Which tools: an exact name, or the pattern (`*` any run, `|` between
  // alternatives). Neither: every tool.
  std::vector<std::string> tool_names;
  std::optional<std::string> matcher;
  // Which clients, by the name that they gave to initialize. Empty: all.
  std::vector<std::string> client_surfaces;

  // Command form: the program and its arguments. A command that is written as
  // one string is {"/bin/sh", "-c", string}. Empty: the workflow form.
  std::vector<std::string> command;
  std::string cwd;  // absolute; empty: the workspace

  // Workflow form.
  std::string workflow;
  HookMode mode = HookMode::observe;
  std::string base_url;     // see loopback_url.hpp
  std::string secret_file;  // absolute; sent as a bearer token when given

  Milliseconds timeout{60'000};
  // A hook that failed has said no.
  bool fail_closed = true;

  friend bool operator==(const Hook&, const Hook&) = default;
};

}  // namespace toolhost::config
