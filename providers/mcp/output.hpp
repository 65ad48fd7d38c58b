// From an answer of a server to the output of a call.
#pragma once

#include "providers/execution.hpp"
#include "providers/mcp/connection.hpp"
#include "providers/mcp/tool_list.hpp"

namespace toolhost::mcp {

// Text stays text, images stay images (up to tools.read.maxImageBytes), sound
// and other bytes become artifacts, links stay links. What a server marks as an
// error is one, with its text as the message. `last_words` is what it wrote to
// standard error, for an answer that never came.
ToolOutput to_output(Answer answer, const RemoteTool& tool,
                     const std::string& server, const std::string& last_words,
                     const ExecutionContext& context);

// What a progress notification says, for a person.
Progress to_progress(const json::object& params);

}  // namespace toolhost::mcp
