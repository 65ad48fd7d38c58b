// What the shell is told: sysexits numbers, the same for every command.
#pragma once

#include "protocol/error.hpp"

namespace toolhost::cli {

enum ExitCode : int {
  kOk = 0,
  kToolError = 1,     // the tool reported a failure; also a failing check
  kUsage = 2,         // wrong arguments, or what they name does not exist
  kDenied = 3,        // a person, a rule or a gate said no; or nobody answered
  kCancelled = 4,     // cancelled, or a limit of time passed
  kUnreachable = 69,  // no daemon
  kInternal = 70,
  kOverloaded = 75,  // try again later
  kProtocol = 76,
  kForbidden = 77,
  kConfig = 78,
};

ExitCode exit_code(const Error& error);

// Of the result of execute.
ExitCode exit_code_of_result(const json::object& result);

}  // namespace toolhost::cli
