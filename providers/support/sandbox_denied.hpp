// Did the sandbox stop this command? Judged from what it left: its exit, the
// end of its output, and what its profile forbids.
//
// Programs say "Read-only file system" or "Network is unreachable" and mean
// us. The judgement is made for a person who is asked whether to run it again
// without the sandbox, so it is conservative: a failure that may as well have
// another cause is not ours. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "providers/support/child_process.hpp"
#include "providers/support/sandbox_profile.hpp"

namespace toolhost {

enum class SandboxLayer {
  files,         // a path that is read-only, protected or hidden
  network,       // no network, or not this one
  sockets,       // AF_UNIX
  system_calls,  // what the filter refuses
};

struct SandboxDenial {
  SandboxLayer layer = SandboxLayer::files;
  std::string path;     // that was refused; may be empty
  std::string because;  // a sentence for a model or a person
  std::string line;     // of the output, on which this rests; at most 400 bytes
};

// `output`: its end is enough; the last 16 KiB are looked at. Nothing for a
// command that succeeded or was ended by a signal.
std::optional<SandboxDenial> sandbox_denied(const ExitStatus& status,
                                            std::string_view output,
                                            const SandboxProfile& profile);

// "files", "network", …: for results and the audit record.
std::string_view name_of(SandboxLayer layer);

}  // namespace toolhost
