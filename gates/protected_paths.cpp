#include "gates/protected_paths.hpp"

#include <algorithm>
#include <array>

#include "providers/support/sandbox_names.hpp"
#include "providers/support/workspace.hpp"

namespace toolhost {
namespace {

// Folders of a repository that decide, beside git_entries(): attributes, and
// the repositories of submodules.
constexpr std::array<std::string_view, 2> kMoreOfGit{"info", "modules"};

bool is_protected(ProtectedKind kind, std::string_view name) {
  const auto rows = protected_names();
  return std::any_of(rows.begin(), rows.end(), [&](const ProtectedName& row) {
    return row.kind == kind && row.name == name;
  });
}

bool decides_for_git(std::string_view name) {
  const auto rows = git_entries();
  return std::find(kMoreOfGit.begin(), kMoreOfGit.end(), name) !=
             kMoreOfGit.end() ||
         std::any_of(rows.begin(), rows.end(),
                     [&](const GitEntry& row) { return row.name == name; });
}

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
    if (is_protected(ProtectedKind::folder, parts[i])) {
      return physical + " can change what agents or logins run.";
    }
    if (parts[i] == ".git" && (last || decides_for_git(parts[i + 1]))) {
      return physical + " decides what git runs.";
    }
    if (parts[i] == ".vscode" && !last &&
        is_protected(ProtectedKind::editor_file, parts[i + 1])) {
      return physical + " holds tasks that an editor runs.";
    }
  }
  if (!parts.empty() && is_protected(ProtectedKind::file, parts.back())) {
    return physical + " is read as instructions by agents, shells or tools.";
  }
  return std::nullopt;
}

}  // namespace toolhost
