// Peer: who is at the other end of a socket, from kernel facts.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/process_identity.hpp"

namespace toolhost {

struct Peer {
  ProcessIdentity process;
  uid_t uid = 0;
  std::string exe;  // empty when it cannot be read
  // The process itself first, then all parents up to the first process. Whole
  // or empty: empty when the process ended or is in a foreign pid namespace.
  std::vector<ProcessIdentity> ancestry;
};

// SO_PEERCRED of a connected socket, and what /proc says about the pid. Errors:
// overloaded when no descriptor is left to ask /proc with, unauthorized for a
// process with more than 128 ancestors.
Result<Peer> identify_peer(int socket);

// nullopt when there is no such process (any more).
std::optional<ProcessIdentity> identify_process(pid_t pid);

bool descends_from(const Peer& peer, const ProcessIdentity& ancestor);

// Why this user may not connect; nullopt for our own user and for `allowed`.
std::optional<Error> refuse_user(const Peer& peer,
                                 std::span<const std::uint32_t> allowed);

}  // namespace toolhost
