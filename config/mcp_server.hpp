// McpServer: one entry of `mcpServers` in the configuration file, checked.
//
// The shape is the one that other clients write, so that an entry can be
// copied. Strings may hold ${NAME} and ${NAME:-default}; they are kept as
// written here and replaced when the server is started
// (providers/mcp/launch.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocol/clock.hpp"

namespace toolhost::config {

// When the program is started: with the daemon, or by the first call.
enum class McpStartup { eager, lazy };

struct McpServer {
  std::string name;  // as written; 1 to 64 bytes, no control characters

  // A program that speaks over its standard input and output.
  std::string command;
  std::vector<std::string> args;
  // Values are often secrets: they are in no message, log or status.
  std::vector<std::pair<std::string, std::string>> env;
  std::string cwd;  // absolute once replaced; empty: the home folder

  // A server behind HTTP; then there is no command. Known, not spoken yet.
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;

  bool enabled = true;
  McpStartup startup = McpStartup::eager;
  // How long a start may show no sign of life at all.
  Milliseconds start_timeout{60'000};
  // How long a call may show neither an answer nor progress.
  Milliseconds call_timeout{300'000};
  // After how long without a call the program is ended; 0: never.
  Milliseconds idle_stop{0};
  // Whether what the server says about its own tools (read-only, destructive,
  // open world) decides what asks a person.
  bool trust_annotations = false;
  // By the server's own names. `enabled_tools` empty: all of them.
  std::vector<std::string> enabled_tools;
  std::vector<std::string> disabled_tools;

  friend bool operator==(const McpServer&, const McpServer&) = default;
};

}  // namespace toolhost::config
