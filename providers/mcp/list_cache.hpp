// ListCache: what a server listed last, so that its tools are known before it
// runs: at once after a start of the daemon, and without a start at all when
// it is lazy.
//
// One private file for each server and way of starting it; what is in it is as
// little believed as the server itself.
#pragma once

#include <optional>
#include <string>

#include "config/mcp_server.hpp"
#include "protocol/error.hpp"

namespace toolhost::mcp {

class ListCache {
 public:
  // Larger lists are not kept.
  static constexpr std::size_t kMaxBytes = 4U << 20;

  // A folder of ours, made when it is needed; empty: nothing is kept.
  explicit ListCache(std::string folder = {}) : folder_(std::move(folder)) {}

  // The entries of tools/list; nullopt when there are none or none to trust.
  std::optional<json::array> read(const config::McpServer& server) const;
  // Failures are logged: the next start is only slower.
  void write(const config::McpServer& server, const json::array& entries) const;

 private:
  std::string file_of(const config::McpServer& server) const;

  std::string folder_;
};

}  // namespace toolhost::mcp
