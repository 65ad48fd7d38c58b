// What this machine can confine, found out by doing it.
#pragma once

#include <string>
#include <vector>

#include "providers/support/sandbox_profile.hpp"

namespace toolhost {

struct SandboxProbe {
  SandboxStrength strength = SandboxStrength::none;
  unsigned landlock_abi = 0;
  // One sentence for `status`.
  std::string summary;
  // For `doctor`: what is missing, what the system said, what to do. Empty
  // when every layer works.
  std::vector<std::string> missing;
};

// Starts a confined program per combination of layers, strongest first, until
// one refuses from inside all that it must. About 5 ms; blocks.
SandboxProbe probe_sandbox();

// The first answer of this process, kept. Call it once at start-up, off the
// loop; safe from any thread.
const SandboxProbe& sandbox_probe();

// "full", "landlock-only", "none", as they stand in status.
std::string_view name_of(SandboxStrength strength);

}  // namespace toolhost
