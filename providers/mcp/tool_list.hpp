// The tools of a server: fetched page by page, checked one by one.
//
// Everything in a list is somebody else's word: bounded, stripped of control
// characters, compiled before it is believed. A tool that cannot be offered is
// left out with the reason; the others stay.
#pragma once

#include <string>
#include <vector>

#include "config/mcp_server.hpp"
#include "protocol/tool.hpp"
#include "providers/mcp/connection.hpp"

namespace toolhost::mcp {

// Of one list.
inline constexpr std::size_t kMaxPages = 100;
inline constexpr std::size_t kMaxTools = 1000;
// Longer descriptions are cut and say so.
inline constexpr std::size_t kMaxDescription = 16 * 1024;

struct RemoteTool {
  std::string raw_name;
  Tool tool;
  // Over who runs and what was shown of the tool: what a permission is bound
  // to. 16 hex digits.
  std::string identity;
};

struct Unavailable {
  std::string raw_name;
  std::string reason;
};

struct ToolList {
  std::vector<RemoteTool> tools;
  std::vector<Unavailable> unavailable;
  // What was wrong with the list as a whole.
  std::vector<std::string> notes;
};

// The entries of all pages. A cursor that comes again, or too many pages, end
// the list with a note in `notes`.
Task<Result<json::array>> fetch_tools(std::shared_ptr<Connection> connection,
                                      RequestLimits limits,
                                      std::vector<std::string>& notes);

// `part` is the server's part of the names, `provider` the provider's name.
ToolList read_tools(const json::array& entries, const config::McpServer& server,
                    std::string_view part, std::string_view provider);

}  // namespace toolhost::mcp
