// Which folders may be a workspace, and which are trusted.
//
// A root named by a control connection or by config is trusted. One that a
// caller names for the first time is an approval of its own, remembered as a
// rule ("workspace", path, allow); until then only tools that read work in it.
#pragma once

#include <string>
#include <vector>

#include "gates/rules.hpp"
#include "gates/session.hpp"
#include "protocol/error.hpp"

namespace toolhost {

inline constexpr std::string_view kWorkspacePermission = "workspace";

// The physical path of a folder that may be a root. Refused for everybody: what
// is no existing directory. Refused for callers: "/", the home folder, and
// whatever holds it or one of our own folders.
Result<std::string> usable_root(const std::string& path, bool from_control,
                                const std::vector<std::string>& own_folders);

bool trusted_workspace(const Session& session, const Policy& policy,
                       const config::Config& config, const RuleStore& rules);

}  // namespace toolhost
