// One HTTP/1.1 POST to a service of this machine, over loopback or a Unix
// socket. Boost.Beast parses the answer; nothing here follows a redirect,
// looks up a name or keeps a connection.
#pragma once

#include <string>

#include "config/loopback_url.hpp"
#include "protocol/clock.hpp"
#include "protocol/error.hpp"
#include "providers/support/stop.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

// Of an answer; more is an error.
inline constexpr std::uint32_t kHttpHeaderBytes = 16 * 1024;
inline constexpr std::uint64_t kHttpBodyBytes = 1 << 20;

struct HttpPost {
  config::LoopbackUrl url;
  std::string target;  // below the prefix of `url`; begins with a slash
  std::string bearer;  // sent as Authorization; empty: not sent
  std::string body;    // JSON text
};

struct HttpAnswer {
  unsigned status = 0;
  std::string body;
};

// Ends at `deadline` and when `stop` is requested. A Unix socket of another
// user than ours and root is refused before anything is sent.
Task<Result<HttpAnswer>> http_post(asio::io_context& loop, HttpPost post,
                                   SteadyTime deadline, Stop& stop);

}  // namespace toolhost
