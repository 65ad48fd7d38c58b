// Where the programs are: what a command names, and our own supervisor.
#pragma once

#include <string>

#include "providers/support/child_process.hpp"

namespace toolhost {

// An absolute or relative name as it is; a bare one is looked up in the PATH
// of `spec.env`, whose relative entries are skipped: the working folder may be
// anybody's.
Result<std::string> find_program(const ProcessSpec& spec);

// The supervisor program: beside us, one folder up (build variants), or in
// ../libexec/toolhost. TOOLHOST_LAUNCH names another one in tests.
Result<std::string> find_launcher();

}  // namespace toolhost
