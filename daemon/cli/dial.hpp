// Reaching the daemon from a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/cli/command.hpp"
#include "protocol/client.hpp"
#include "protocol/version.hpp"

namespace toolhost::cli {

// Limit of requests that wait for no person.
inline constexpr Milliseconds kRequestLimit{30'000};

struct DialOptions {
  std::vector<std::string> roles;  // empty: all that the socket grants
  bool interactive = false;        // a person answers here
};

// The socket that the options name, or why there is none.
Result<std::string> socket_path(const Globals& globals);

// Connected and initialised.
Result<Client> dial(const Globals& globals, const DialOptions& options = {});

// --timeout, or the default.
Milliseconds request_limit(const Globals& globals);

// One request on a connection of its own.
Result<json::object> request(const Globals& globals, std::string_view method,
                             const json::object& params = {});

// All pages of a list: `member` of every result joined, at most `most` items.
Result<json::array> collect(Client& client, std::string_view method,
                            json::object params, std::string_view member,
                            std::size_t most, Milliseconds limit);

// The id that starts with `typed` (its prefix, "appr_", may be left out) among
// the `key` members of `items`; the whole `typed` when nothing matches, so that
// the daemon says what it knows about it. An error lists several candidates.
Result<std::string> complete_id(const json::array& items, std::string_view key,
                                const std::string& typed,
                                std::string_view prefix);

}  // namespace toolhost::cli
