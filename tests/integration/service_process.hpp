// ServiceProcess: toolhostd as a service manager starts it, in a home of its
// own: sockets handed over, variables of its own, seen from outside.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "protocol/client.hpp"

namespace toolhost::testing {

struct ServiceOptions {
  std::vector<std::string> environment;  // "NAME=value"
  // Listening descriptors and what LISTEN_FDNAMES calls them.
  std::vector<std::pair<std::string, int>> sockets;
  // A program that starts the daemon, with its arguments; found in PATH.
  std::vector<std::string> launcher;
};

class ServiceProcess {
 public:
  // `home` exists. Its output is in HOME/service.log.
  ServiceProcess(std::string home, const ServiceOptions& options);
  ~ServiceProcess();  // SIGKILL when it still runs
  ServiceProcess(const ServiceProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool runs();
  void signal(int number) const;
  // Waits for its end; the exit status (128 + signal when it was killed).
  int join();
  std::string log() const;

 private:
  std::string home_;
  pid_t pid_ = -1;
};

// A listening Unix socket at `path`, whose folder is made; a descriptor.
int listen_at(const std::string& path);
// A datagram socket at `path` for NOTIFY_SOCKET.
int notify_socket(const std::string& path);
// The next datagram; empty when none came in 20 s.
std::string next_datagram(int fd);

}  // namespace toolhost::testing
