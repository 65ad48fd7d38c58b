#include "gates/protected_paths.hpp"

#include <algorithm>
#include <array>

#include "providers/support/workspace.hpp"

namespace toolhost {
namespace {

// A whole component that protects everything below it.
constexpr std::array<std::string_view, 8> kFolders{
    ".toolhost", ".claude", ".codex", ".cursor",
    ".kun",      ".ssh",    ".husky", ".agents"};
// A file by its last component, anywhere.
constexpr std::array<std::string_view, 16> kFiles{
    "agents.md",   "claude.md",     ".mcp.json",   ".envrc",
    ".bashrc",     ".bash_profile", ".bash_login", ".profile",
    ".zshrc",      ".zshenv",       ".zprofile",   ".zlogin",
    ".gitmodules", ".gitconfig",    ".npmrc",      "config.fish"};
// Files of an editor's folder that it runs.
constexpr std::array<std::string_view, 3> kEditorFiles{
    "tasks.json", "settings.json", "launch.json"};

std::vector<std::string> lower_components(const std::string& path) {
  std::vector<std::string> out;
  std::string part;
  for (const char c : path + "/") {
    if (c != '/') {
      part += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    } else if (!part.empty()) {
      // A trailing dot or space names the same file on some file systems.
      while (part.ends_with('.') || part.ends_with(' ')) part.pop_back();
      out.push_back(std::exchange(part, {}));
    }
  }
  return out;
}

template <std::size_t N>
bool in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool own_path(const std::string& physical,
              const std::vector<std::string>& own_folders) {
  return std::any_of(
      own_folders.begin(), own_folders.end(),
      [&](const std::string& folder) { return is_beneath(physical, folder); });
}

std::optional<std::string> protected_path(
    const std::string& physical, const std::vector<std::string>& own_folders) {
  if (own_path(physical, own_folders)) {
    return physical + " belongs to the daemon itself.";
  }
  const auto parts = lower_components(physical);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (in(kFolders, parts[i])) {
      return physical + " can change what agents or logins run.";
    }
    if (parts[i] == ".git" &&
        (last || parts[i + 1] == "hooks" || parts[i + 1] == "config" ||
         parts[i + 1] == "info" || parts[i + 1] == "modules" ||
         parts[i + 1] == "worktrees")) {
      return physical + " decides what git runs.";
    }
    if (parts[i] == ".vscode" && !last && in(kEditorFiles, parts[i + 1])) {
      return physical + " holds tasks that an editor runs.";
    }
  }
  if (!parts.empty() && in(kFiles, parts.back())) {
    return physical + " is read as instructions by agents, shells or tools.";
  }
  return std::nullopt;
}

}  // namespace toolhost
