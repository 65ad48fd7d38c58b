// Handshake: which protocol a server speaks, and who it is.
//
// Two eras: up to 2025-11-25 a connection begins with `initialize`; since
// 2026-07-28 every request carries the version and `server/discover` tells the
// rest. `initialize` is tried first: nearly every server knows it, one that
// does not refuses it at once, and no old server waits out a probe that it
// does not understand.
#pragma once

#include <string>

#include "providers/mcp/connection.hpp"

namespace toolhost::mcp {

struct Peer {
  std::string version;  // of the protocol
  std::string name;     // what it says of itself, safe to show
  std::string software_version;
  bool tells_list_changes = false;
};

// Leaves the connection ready for requests. The error says what it answered.
Task<Result<Peer>> handshake(std::shared_ptr<Connection> connection,
                             RequestLimits limits);

}  // namespace toolhost::mcp
