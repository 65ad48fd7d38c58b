// McpClient: a FrontDoor on a thread of its own, and the client's end of it.
//
// The thread ends when the client closes its end, at the latest with it.
#pragma once

#include <string>
#include <thread>

#include "daemon/cli/mcp/front_door.hpp"

namespace toolhost::testing {

class McpClient {
 public:
  explicit McpClient(cli::mcp::FrontDoorOptions options);
  ~McpClient();
  McpClient(McpClient&&) = delete;

  void send(const std::string& line);
  // The next message; throws when none comes in 10 s.
  json::object next();
  // True when the server closed its end and nothing is left to read.
  bool ended();
  // No more comes from us.
  void close_input();

  // initialize with this version and these capabilities; its answer.
  json::object initialize(const std::string& version,
                          const std::string& capabilities = "{}");

 private:
  // False at the end of the stream, and when nothing came in time.
  bool fill();

  int fd_ = -1;
  std::string held_;
  bool closed_ = false;
  std::thread server_;
};

}  // namespace toolhost::testing
