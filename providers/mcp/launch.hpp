// From a configured server to a process: placeholders, environment, secrets.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/mcp_server.hpp"
#include "providers/support/child_process.hpp"

namespace toolhost::mcp {

// What has to be blotted out wherever a server's words are shown: a value and
// the name to show in its place. Short values are none, because too much other
// text would go with them.
class Secrets {
 public:
  static constexpr std::size_t kShortest = 6;
  void add(std::string name, std::string value);
  std::string redact(std::string text) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;  // longest first
};

struct Launch {
  ProcessSpec process;
  Secrets secrets;
};

// Replaces ${NAME} and ${NAME:-otherwise} by what is in our own environment,
// and adds each value to `secrets`. A missing variable is an error that names
// it; nothing else in braces is known.
Result<std::string> expand(std::string_view text, Secrets& secrets);

// How to start it now. Errors name variables, never values.
Result<Launch> make_launch(const config::McpServer& server);

}  // namespace toolhost::mcp
