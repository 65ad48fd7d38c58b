// Where things are, and why: XDG folders, sockets, overrides.
#pragma once

#include <string>

#include "protocol/error.hpp"

namespace toolhost::config {

struct Paths {
  std::string config_file;     // $XDG_CONFIG_HOME/toolhost/config.jsonc
  std::string rules_file;      // …/rules.jsonc
  std::string state_dir;       // $XDG_STATE_HOME/toolhost
  std::string cache_dir;       // $XDG_CACHE_HOME/toolhost: kept output
  std::string runtime_dir;     // folder of the sockets
  std::string control_socket;  // …/toolhost.sock
  std::string caller_socket;   // …/caller.sock
  std::string lock_file;       // …/toolhost.lock
  // One sentence: which variable or option decided the socket's path.
  std::string socket_reason;
  // --config or $TOOLHOST_CONFIG names the file, so it has to be there.
  bool config_named = false;
};

// `socket_option` and `config_option` are --socket and --config, or empty.
// An empty variable counts as unset. Fails when no folder can be found (HOME
// unset), when a path is relative, or when a socket path does not fit into
// sun_path (107 bytes), naming the path and the length.
Result<Paths> find_paths(const std::string& socket_option,
                         const std::string& config_option);

}  // namespace toolhost::config
