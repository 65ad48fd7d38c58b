// Reading one entry of `mcpServers`, and writing it again.
#pragma once

#include <optional>
#include <string_view>

#include "config/settings.hpp"

namespace toolhost::config {

// Checks one entry; `server` is unchanged on a fault. A fault never repeats a
// value of `env` or `headers`.
std::optional<SettingFault> read_mcp_server(std::string_view name,
                                            const json::value& item,
                                            McpServer& server);
// The entry as it could stand in the file, secrets included: for comparing,
// not for showing.
json::object write_mcp_server(const McpServer& server);

}  // namespace toolhost::config
