// Confinement: how the commands of this daemon are confined, found out once at
// start-up; and the profile of one command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/support/sandbox_profile.hpp"

namespace toolhost {

struct Confinement {
  SandboxStrength strength = SandboxStrength::none;
  unsigned landlock_abi = 0;
  // One sentence: which layers, or why there are none.
  std::string summary;
  // Of the daemon (configuration, state, sockets, cache): hidden whole.
  std::vector<std::string> own_folders;
  std::string home;
  std::string runtime_dir;
  // Below it, one folder a session, which is its commands' /tmp; empty: /tmp
  // ends with each command.
  std::string tmp_root;

  // Every layer: what runs inside may run without a person's yes.
  bool enforced() const { return strength == SandboxStrength::full; }
};

// Confined to `roots`, without a network. Makes the session's /tmp if it is
// not there. Blocks on the file system for about 0.2 ms.
Result<SharedSandbox> confine(const Confinement& confinement,
                              const std::vector<std::string>& roots,
                              std::string_view session_id);

// After the session: its /tmp goes. Blocks.
void remove_session_tmp(const Confinement& confinement,
                        const std::string& session_id);

}  // namespace toolhost
