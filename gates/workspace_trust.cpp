#include "gates/workspace_trust.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "providers/support/workspace.hpp"

namespace toolhost {
namespace {

Error bad_root(const std::string& path, const std::string& why,
               std::string hint) {
  return make_error(Code::invalid_params,
                    "\"" + path + "\" cannot be a workspace: " + why,
                    std::move(hint));
}

}  // namespace

Result<std::string> usable_root(const std::string& path, bool from_control,
                                const std::vector<std::string>& own_folders) {
  if (path.empty() || path.front() != '/') {
    return bad_root(path, "it is not an absolute path.",
                    "Name the folder from the root: /home/…");
  }
  if (path.find('\0') != std::string::npos || path.size() > 4096) {
    return bad_root(path.substr(0, 100), "it is not a legal path.", {});
  }
  std::error_code ec;
  const std::string physical = std::filesystem::canonical(path, ec).string();
  if (ec) {
    return bad_root(path, ec.message() + ".", "Create the folder first.");
  }
  if (!std::filesystem::is_directory(physical, ec)) {
    return bad_root(path, "it is not a folder.", {});
  }
  if (from_control) return physical;
  if (physical.find_first_of("*?\\") != std::string::npos) {
    return bad_root(path, "its name would be read as a pattern of a rule.",
                    "Open the session from a control connection.");
  }
  const char* home = std::getenv("HOME");
  const std::string home_path =
      home ? std::filesystem::weakly_canonical(home, ec).string() : "";
  const bool holds_home = physical == "/" || (!home_path.empty() &&
                                              is_beneath(home_path, physical));
  const bool holds_ours = std::any_of(
      own_folders.begin(), own_folders.end(), [&](const std::string& own) {
        return is_beneath(own, physical) || is_beneath(physical, own);
      });
  if (holds_home || holds_ours) {
    return bad_root(path, "it holds the home folder or the daemon's own files.",
                    "Name the project's folder; only a control connection may "
                    "open a session on this one.");
  }
  return physical;
}

bool trusted_workspace(const Session& session, const Policy& policy,
                       const config::Config& config, const RuleStore& rules) {
  if (session.from_control || policy.roots.empty()) return true;
  return std::all_of(
      policy.roots.begin(), policy.roots.end(), [&](const std::string& root) {
        for (const std::string& trusted : config.trusted_workspaces) {
          if (is_beneath(root, trusted)) return true;
        }
        RuleQuestion question;
        question.permission = kWorkspacePermission;
        question.pattern = root;
        question.workspace = root;
        question.session = session.id;
        return rules.judge(question).action == RuleAction::allow;
      });
}

}  // namespace toolhost
