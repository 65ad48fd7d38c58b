// What of a git repository decides what git runs, for the sandbox.
#pragma once

#include <string>
#include <vector>

#include "providers/support/sandbox_profile.hpp"

namespace toolhost {

struct GitProtection {
  std::vector<ProtectedPath> protected_paths;
  // The repository of a worktree whose root is elsewhere: without it nothing
  // could be committed. Only one that itself names the worktree.
  std::vector<std::string> writable;
};

// Looks at `root` and at the repositories in its folders, three levels deep
// (at most 2000 folders and 24 repositories; deeper ones are not protected).
// A folder without a repository keeps one from being made at its top.
GitProtection protect_git(const std::string& root);

}  // namespace toolhost
