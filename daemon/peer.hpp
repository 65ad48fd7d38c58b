// Peer: who is at the other end of a socket, from kernel facts.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/process_identity.hpp"

namespace toolhost {

struct Peer {
  ProcessIdentity process;
  uid_t uid = 0;
  std::string exe;  // empty when it cannot be read
  // The process itself first, then parents up to init; bounded at 128.
  std::vector<ProcessIdentity> ancestry;
};

// SO_PEERCRED of a connected socket, and what /proc says about the pid.
Result<Peer> identify_peer(int socket);

// nullopt when there is no such process (any more).
std::optional<ProcessIdentity> identify_process(pid_t pid);

bool descends_from(const Peer& peer, const ProcessIdentity& ancestor);

}  // namespace toolhost
