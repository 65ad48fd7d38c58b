// Content blocks of MCP to content blocks of ours.
#pragma once

#include <vector>

#include "providers/execution.hpp"

namespace toolhost::mcp {

// `blocks` is the `content` of a result. Bytes that are no image, and images
// over the limit, are kept as artifacts of the session; the text in their place
// says how to read them.
std::vector<Content> read_content(const json::array& blocks,
                                  const ExecutionContext& context);

}  // namespace toolhost::mcp
