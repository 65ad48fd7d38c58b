// DaemonProcess: a real toolhostd in a home of its own, and clients of it.
//
// The daemon is the binary beside the test's, or the one that TOOLHOSTD names.
// Its log is printed when a test fails. Agents are processes of their own (a
// relay), because the daemon tells who asks and who answers by process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "protocol/client.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

// A process that copies bytes between a socket of the daemon and a descriptor
// of ours; ending it ends the connection.
class RelayProcess {
 public:
  explicit RelayProcess(const std::string& socket);
  ~RelayProcess();
  RelayProcess(RelayProcess&&) = delete;
  int fd() const { return fd_; }
  int release_fd() { return std::exchange(fd_, -1); }
  pid_t pid() const { return pid_; }
  void vanish();  // SIGKILL

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
};

// Bytes as they are, for tests of framing. Throw when the system says no.
int connect_socket(const std::string& path);
void close_fd(int fd);
void write_bytes(int fd, std::string_view bytes);
// Sends until the socket is full or everything is sent.
void send_without_waiting(int fd, std::string_view bytes);
// What is there, or comes before `end`; empty at the end (`ended` is set) or
// when nothing came.
std::string read_bytes(int fd, std::chrono::steady_clock::time_point end,
                       bool& ended);

// A client that speaks through a process of its own; ending it ends the
// process.
class AgentProcess {
 public:
  AgentProcess(const std::string& socket, const std::string& name,
               const std::string& workspace = {});
  AgentProcess(AgentProcess&&) = delete;

  Client& client() { return *client_; }
  pid_t pid() const { return relay_.pid(); }
  // The result of initialize.
  const json::object& hello() const { return hello_; }

  // Fails the test (throws) when the reply is an error.
  json::object call(std::string_view method, const json::object& params);
  // The error's data.kind, or "" when it succeeded.
  std::string error_kind(std::string_view method, const json::object& params);
  // execute; the result.
  json::object execute(std::string_view tool, const json::object& arguments);

  // SIGKILL to the process: the daemon sees a client vanish.
  void vanish() { relay_.vanish(); }

 private:
  RelayProcess relay_;
  std::unique_ptr<Client> client_;
  json::object hello_;
};

class DaemonProcess {
 public:
  // Writes the configuration and starts; returns when it answers.
  explicit DaemonProcess(const std::string& config = "{}");
  ~DaemonProcess();

  // A connection of the test's own process, initialised.
  Client control(const std::string& name = "gui",
                 std::vector<std::string> roles = {});
  Client raw(const std::string& socket);  // not initialised
  std::unique_ptr<AgentProcess> agent(const std::string& name = "agent");

  // A folder that exists, for workspaces: below the home, not the home.
  const std::string& workspace() const { return workspace_; }
  std::string path(const std::string& name) const {
    return workspace_ + "/" + name;
  }
  const std::string& home() const { return home_.path(); }
  std::string control_socket() const;
  std::string caller_socket() const;
  std::string config_file() const;
  std::string state_dir() const;

  // More variables for the next start ("NAME=value").
  void set_environment(std::vector<std::string> variables) {
    environment_ = std::move(variables);
  }
  void start();
  // Returns when the process ended by itself; the exit status as stop() has it.
  int wait_for_end();
  // SIGTERM; the exit status (128 + signal when it was killed).
  int stop();
  void kill_hard();  // SIGKILL, reaped
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  std::string log() const;
  std::size_t resident_kib() const;
  // Living processes below the daemon.
  std::vector<pid_t> descendants() const;

 private:
  TempDir home_;
  std::string workspace_;
  std::vector<std::string> environment_;
  pid_t pid_ = -1;
};

// {"a":1} from text; throws on bad JSON.
json::object object(std::string_view text);
// A member by a path of keys and indices ("error.data.kind", "content.0.text");
// null when there is none.
const json::value& at(const json::value& value, std::string_view path);
const json::value& at(const json::object& value, std::string_view path);
std::string text_at(const json::object& value, std::string_view path);

// Calls `condition` until it is true; false when the time is over.
bool eventually(const std::function<bool()>& condition,
                Milliseconds limit = Milliseconds(10'000));

// Answers the next requested approval that `gui` hears of.
json::object answer_next(Client& gui, const std::string& option,
                         const std::string& comment = {});

}  // namespace toolhost::testing
