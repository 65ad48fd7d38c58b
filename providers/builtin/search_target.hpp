// SearchTarget: the folder (or the one file) that a search starts from.
//
// The folder is opened beneath its root and handed to ripgrep as its working
// directory, so no path with a link in it is ever given to ripgrep.
#pragma once

#include <string>
#include <string_view>

#include "protocol/error.hpp"
#include "providers/support/unique_fd.hpp"
#include "providers/support/workspace.hpp"

namespace toolhost::builtin {

struct SearchTarget {
  ResolvedPath path;
  UniqueFd folder;
  // The name in `folder`, when one file is searched.
  std::string file;
  // What `folder` is below `path`, with a "/" at its end, after narrow().
  std::string below;
  // In front of a found path to show it: "src/", or empty for the root.
  std::string prefix;

  std::string shown(std::string_view found) const;
};

Outcome<SearchTarget> open_target(const Workspace& workspace,
                                  const std::string& path,
                                  const std::string& cwd);

// Starts in a folder below, when it is there and no link leads to it;
// otherwise nothing changes.
void narrow(SearchTarget& target, const Workspace& workspace,
            const std::string& folder);

}  // namespace toolhost::builtin
