// What the daemon says, in MCP's shapes. Pure functions, no connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/cli/mcp/era.hpp"
#include "protocol/error.hpp"

namespace toolhost::cli::mcp {

// The result of tools/list out of listTools': its order, without what cannot
// be called now.
json::object tool_list(const json::object& listed, const Era& era);

// The result of tools/call out of execute's. An error is told in words in the
// content, because that is all a model reads; its kind is in `_meta`.
json::object call_result(const json::object& executed, const Era& era);

// A call that the daemon did not take, or of which it did not tell the end: a
// result, so that the model reads it.
json::object failed_call(const Error& error, const Era& era);

// Kept output is a resource: "toolhost://output/art_…?offset=65536".
struct OutputUri {
  std::string artifact;
  std::int64_t offset = 0;
};
std::string output_uri(std::string_view artifact, std::int64_t offset);
// nullopt: no URI of ours.
std::optional<OutputUri> parse_output_uri(std::string_view uri);
// The result of resources/read out of readOutput's.
json::object output_contents(const json::object& window, const OutputUri& asked,
                             const std::string& uri, const Era& era);

// Members that every result of the stateless versions has.
json::object finished(json::object result, const Era& era);
// The same of a list, which says how long it holds.
json::object finished_list(json::object result, std::int64_t ttl_ms,
                           const Era& era);
// {name, title, version} of this server.
json::object server_info();

// The local path of a file URI; empty for any other.
std::string path_of_file_uri(std::string_view uri);

}  // namespace toolhost::cli::mcp
