// mcp__server__tool: the names under which agents see the tools of servers.
//
// A part keeps [A-Za-z0-9_-]; everything else becomes "_", and runs of "_"
// become one, so that "__" only ever separates. What is over 64 characters is
// cut and ends in a hash of the whole. Where two would have one name, the one
// that is spelled so keeps it and the others end in a hash of what they are
// really called: no tool vanishes, and no name depends on the order of a list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost::mcp {

// FNV-1a, 32 bits, as 8 lower-case hex digits.
std::string name_hash(std::string_view text);

// "git hub" → "git_hub".
std::string name_part(std::string_view raw);

// The parts of all configured servers, in their order, each one different.
std::vector<std::string> server_parts(const std::vector<std::string>& servers);

// One name without looking at others.
std::string tool_name(std::string_view server_part, std::string_view raw_tool);

// The names of all tools of a server, in their order, each one different. The
// raw names have to be different from each other.
std::vector<std::string> tool_names(std::string_view server_part,
                                    const std::vector<std::string>& raw_tools);

}  // namespace toolhost::mcp
