// The configured servers as providers of the registry.
#pragma once

#include "providers/mcp/provider.hpp"
#include "providers/registry.hpp"

namespace toolhost::mcp {

// Makes the registry hold exactly the servers of `config`: a new one is added,
// one that is gone or written differently ends once its calls have, the others
// are not touched. `running`: start what is new at once; otherwise the registry
// does with everything else.
Result<void> set_servers(Registry& registry, const Host& host,
                         const config::Config& config, bool running);

}  // namespace toolhost::mcp
