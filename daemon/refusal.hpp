// Which requests a connection may make: initialised, known, permitted.
#pragma once

#include <optional>

#include "daemon/connection.hpp"

namespace toolhost {

// Why the request is not served; nullopt: it is. `method` is nullptr when
// there is none of the name.
std::optional<Error> refusal(const Connection& connection,
                             const MethodDefinition* method,
                             const Request& request);

// For clients that speak MCP to this socket.
Error speaks_toolhost(std::string message);

}  // namespace toolhost
