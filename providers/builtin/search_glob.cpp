#include "providers/builtin/search_glob.hpp"

#include <algorithm>

#include "providers/builtin/search_wildcard.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::size_t kMaxComponents = 256;

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") out.push_back(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return out;
}

CallError refuse(const std::string& glob, std::string why, std::string hint) {
  return make_call_error(CallErrorKind::invalid_arguments,
                         "The glob " + glob + " " + std::move(why) + ".",
                         std::move(hint));
}

// What is left below the root of a glob that names it, as a path below it.
std::string_view below_root(std::string_view glob, std::string_view root) {
  if (!root.empty() && glob.size() > root.size() && glob[root.size()] == '/' &&
      glob.substr(0, root.size()) == root) {
    glob.remove_prefix(root.size());
  }
  return glob;
}

bool hidden(std::string_view component) {
  return component.starts_with('.') || component.starts_with("\\.");
}

}  // namespace

Outcome<GlobFilter> GlobFilter::parse(const std::vector<std::string>& globs,
                                      bool include_hidden,
                                      std::string_view root) {
  GlobFilter out(include_hidden);
  if (globs.size() > kMaxGlobs) {
    return refuse(globs.front(), "is one of too many",
                  "Give at most " + std::to_string(kMaxGlobs) +
                      " globs; {a,b} joins several in one.");
  }
  for (const std::string& glob : globs) {
    const auto added = out.add(glob, root);
    if (!added) return added.error();
  }
  return out;
}

Outcome<bool> GlobFilter::add(const std::string& glob, std::string_view root) {
  const bool exclude = glob.starts_with('!');
  const std::string text = exclude ? glob.substr(1) : glob;
  if (text.find('\0') != std::string::npos) {
    return refuse(text.c_str(), "has a NUL character", "Leave it out.");
  }
  const auto alternatives = expand_braces(text);
  if (!alternatives) return alternatives.error();
  if (exclude) {
    excludes_.push_back(std::string(below_root(text, root)));
    return true;
  }
  for (const std::string& one : *alternatives) {
    const std::string_view below = below_root(one, root);
    Components components;
    if (below.find('/') == std::string_view::npos) components = {"**"};
    for (const std::string_view part : split(below)) {
      components.emplace_back(part);
    }
    const auto parent = std::find(components.begin(), components.end(), "..");
    if (parent != components.end()) {
      return refuse(glob, "leads to a parent folder",
                    "Give the folder as `path` instead.");
    }
    // A folder stands for the files in it.
    if (components.empty() || below.ends_with('/')) components.push_back("**");
    if (components.back() == "**") components.push_back("*");
    if (components.size() > kMaxComponents) {
      return refuse(glob, "is too deep", "Shorten it.");
    }
    patterns_.push_back(std::move(components));
  }
  if (patterns_.size() > kMaxAlternatives) {
    return refuse(glob, "has too many alternatives", "Use fewer.");
  }
  return true;
}

bool GlobFilter::may_match(std::string_view pattern,
                           std::string_view name) const {
  if (name.starts_with('.') && !include_hidden_ && !hidden(pattern)) {
    return false;
  }
  return pattern == "*" || component_matches(pattern, name);
}

// As for `*` in a component: only the last `**` ever has to be tried again.
bool GlobFilter::matches(const Components& pattern,
                         const std::vector<std::string_view>& path) const {
  std::size_t at = 0;
  std::size_t i = 0;
  std::size_t from = 0;
  std::size_t star = pattern.size();  // none yet
  while (i < path.size()) {
    if (at < pattern.size() && pattern[at] == "**") {
      star = at++;
      from = i;
    } else if (at < pattern.size() && may_match(pattern[at], path[i])) {
      ++at;
      ++i;
    } else {
      if (star == pattern.size()) return false;
      if (path[from].starts_with('.') && !include_hidden_) return false;
      at = star + 1;
      i = ++from;
    }
  }
  return at == pattern.size();
}

bool GlobFilter::matches(std::string_view path) const {
  if (patterns_.empty()) {
    return include_hidden_ || (!path.starts_with('.') &&
                               path.find("/.") == std::string_view::npos);
  }
  const std::vector<std::string_view> components = split(path);
  return std::any_of(
      patterns_.begin(), patterns_.end(),
      [&](const Components& pattern) { return matches(pattern, components); });
}

bool GlobFilter::names_hidden() const {
  for (const Components& pattern : patterns_) {
    if (std::any_of(pattern.begin(), pattern.end(), hidden)) return true;
  }
  return false;
}

std::vector<std::string> GlobFilter::base_names() const {
  // More than this costs ripgrep more than it saves.
  constexpr std::size_t kMost = 32;
  std::vector<std::string> out;
  for (const Components& pattern : patterns_) {
    const std::string& last = pattern.back();
    // A colon cannot be written in a type definition.
    if (last == "*" || last.find(':') != std::string::npos) return {};
    if (std::find(out.begin(), out.end(), last) == out.end()) {
      out.push_back(last);
    }
  }
  if (out.size() > kMost) out.clear();
  return out;
}

std::string GlobFilter::folder() const {
  if (patterns_.size() != 1 || !excludes_.empty()) return {};
  const Components& pattern = patterns_.front();
  std::string out;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (has_wildcard(pattern[i])) break;
    if (!out.empty()) out += '/';
    out += pattern[i];
  }
  return out;
}

std::string GlobFilter::exact_path() const {
  if (patterns_.size() != 1 || !excludes_.empty()) return {};
  const Components& pattern = patterns_.front();
  // A base name alone is meant for every folder; the root's file counts.
  const std::size_t first = pattern.front() == "**" ? 1 : 0;
  std::string out;
  for (std::size_t i = first; i < pattern.size(); ++i) {
    if (has_wildcard(pattern[i])) return {};
    if (!out.empty()) out += '/';
    out += pattern[i];
  }
  return out;
}

}  // namespace toolhost::builtin
