// What a model and a program are told about a command that has ended.
#pragma once

#include "protocol/content.hpp"
#include "providers/builtin/bash_run.hpp"

namespace toolhost::builtin {

// `stop_reason`: why it was cancelled, when it was.
ToolOutput report_command(const CommandResult& result,
                          const OutputSpool& output,
                          const std::string& stop_reason);

// A failure that the sandbox caused becomes sandboxDenied, with the layer, why,
// and what the model may do about it; other results stay as they are.
void note_denial(ToolOutput& output, const CommandResult& result,
                 const SandboxProfile& profile);

}  // namespace toolhost::builtin
