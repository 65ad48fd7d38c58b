// What a server may ask of us.
//
// Nothing of it is offered in the handshake. `ping` is answered; the rest is
// refused in words that say why, because some servers ask all the same.
#pragma once

#include <string>

#include "providers/mcp/wire.hpp"

namespace toolhost::mcp {

// The reply to a request, as the text of a message.
std::string answer_server_request(const Message& request);

}  // namespace toolhost::mcp
