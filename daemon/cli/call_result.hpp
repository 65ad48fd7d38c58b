// The result of execute, printed.
#pragma once

#include "daemon/cli/command.hpp"

namespace toolhost::cli {

// Content on standard output, what went wrong on standard error. Returns the
// exit code.
int print_result(Invocation& invocation, const json::object& result);

// The trace of the gates, one row each (--dry-run).
int print_gates(Invocation& invocation, const json::object& result);

}  // namespace toolhost::cli
