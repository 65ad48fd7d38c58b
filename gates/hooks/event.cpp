#include "gates/hooks/event.hpp"

#include <algorithm>

namespace toolhost {
namespace {

using config::Hook;

constexpr std::size_t kNone = std::string_view::npos;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Segments between stars from left to right, leftmost first: nothing is tried
// twice.
bool star_match(std::string_view pattern, std::string_view name) {
  std::size_t star = pattern.find('*');
  if (star == kNone) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  for (;;) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == kNone) return name.ends_with(pattern);
    const std::size_t at = name.find(pattern.substr(0, star));
    if (at == kNone) return false;
    name.remove_prefix(at + star);
  }
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool wanted(const Hook& hook, const HookEvent& event) {
  if (hook.phase != event.phase) return false;
  if (!hook.client_surfaces.empty() &&
      !holds(hook.client_surfaces, event.surface)) {
    return false;
  }
  if (hook.tool_names.empty() && !hook.matcher) return true;
  return holds(hook.tool_names, event.tool) ||
         (hook.matcher && hook_pattern_matches(*hook.matcher, event.tool));
}

}  // namespace

bool hook_pattern_matches(std::string_view pattern, std::string_view name) {
  for (;;) {
    const std::size_t bar = pattern.find('|');
    const std::string_view one = trimmed(pattern.substr(0, bar));
    if (!one.empty() && star_match(one, name)) return true;
    if (bar == kNone) return false;
    pattern.remove_prefix(bar + 1);
  }
}

std::vector<Hook> hooks_for(const config::Config& pinned,
                            const config::Config& current,
                            const HookEvent& event) {
  std::vector<Hook> out;
  for (const Hook& hook : pinned.hooks) {
    if (wanted(hook, event)) out.push_back(hook);
  }
  if (&pinned == &current || !is_guard(event.phase)) return out;
  for (const Hook& hook : current.hooks) {
    if (!wanted(hook, event)) continue;
    if (std::find(out.begin(), out.end(), hook) == out.end()) {
      out.push_back(hook);
    }
  }
  return out;
}

}  // namespace toolhost
