// A small world around a sandbox: a workspace with a repository, a home with
// secrets, sockets that listen, and what must never happen in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "providers/support/child_process.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost::testing {

// Kept where a private /tmp does not hide it.
class SandboxWorld {
 public:
  SandboxWorld();
  ~SandboxWorld();
  SandboxWorld(const SandboxWorld&) = delete;
  SandboxWorld& operator=(const SandboxWorld&) = delete;

  std::string workspace() const { return base_ + "/ws"; }
  std::string outside() const { return base_ + "/outside"; }
  std::string home() const { return base_ + "/home"; }
  const std::string& base() const { return base_; }

  SandboxRequest request(SandboxStrength strength) const;
  // Bash in the workspace, confined by `request`. The script finds the world
  // in $WS $OUT $HOME $RUN $OWN $HOSTPID $TCP $UDP $ABSTRACT $SHM $SEGMENT.
  ProcessSpec spec(const std::string& script,
                   const SandboxRequest& request) const;

  struct Outcome {
    std::string output;
    ExitStatus status;
    std::string refused;  // why nothing ran
  };
  Outcome run(const std::string& script, const SandboxRequest& request) const;
  Outcome run_in(const std::string& script, SharedSandbox sandbox) const;

  // How the script got out: in words, empty when it did not. Looks at the
  // output, at every file that should not have changed and at the sockets.
  std::string escaped(const Outcome& outcome);

 private:
  void make_files();
  void open_sockets();

  std::string base_;
  UniqueFd tcp_;
  UniqueFd udp_;
  UniqueFd abstract_;
  UniqueFd pathname_;
  UniqueFd in_runtime_dir_;
  int tcp_port_ = 0;
  int udp_port_ = 0;
  std::string abstract_name_;
  std::string shared_file_;
  int segment_ = -1;
};

}  // namespace toolhost::testing
