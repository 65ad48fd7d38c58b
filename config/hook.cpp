#include "config/hook.hpp"

#include <algorithm>
#include <array>

namespace toolhost::config {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 6> kPhases{
    "PreToolUse", "PostToolUse", "UserPromptSubmit",
    "TurnStart",  "TurnEnd",     "PreCompact"};
constexpr std::array<std::string_view, 3> kModes{"observe", "block", "rewrite"};

}  // namespace

std::string_view name(HookPhase phase) {
  return kPhases[static_cast<std::size_t>(phase)];
}

std::optional<HookPhase> parse_hook_phase(std::string_view word) {
  const auto* const found = std::find(kPhases.begin(), kPhases.end(), word);
  if (found == kPhases.end()) return std::nullopt;
  return static_cast<HookPhase>(found - kPhases.begin());
}

std::string_view name(HookMode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

}  // namespace toolhost::config
