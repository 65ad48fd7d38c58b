// FrontDoor: an MCP server on two descriptors that is a client of the daemon.
//
// One thread, one poll. Nothing waits for the reader of standard output or for
// a person; of the daemon only a connection attempt is waited for, seconds at
// most. Memory is bounded: lines of 16 MiB, a limited number of open requests,
// and no reading while the output is full.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/cli/mcp/line_reader.hpp"
#include "daemon/cli/mcp/line_writer.hpp"
#include "daemon/cli/mcp/requests.hpp"

namespace toolhost::cli::mcp {

struct FrontDoorOptions {
  std::string socket;      // the daemon's
  std::string workspace;   // --workspace, absolute; empty: the client's root
  std::string folder;      // without roots: where the process was started
  json::object narrowing;  // policy members of every request's context
  std::function<void(const std::string&)> log;  // one line for a person
  Limits limits;
  // For the client to tell its roots.
  Milliseconds roots_wait{3000};
  // At the end of the input, for what is under way.
  Milliseconds last_wait{1000};
};

class FrontDoor {
 public:
  FrontDoor(FrontDoorOptions options, int in, int out);

  // Until the input ends, the output breaks or `signal_fd` (-1: none) is
  // readable; then what still runs is cancelled.
  void run(int signal_fd);

 private:
  // A request of the client, with what its version says about it.
  struct Asked {
    const Message& message;
    const Era& era;
    std::string client_name;
  };
  struct Method {
    std::string_view name;
    void (FrontDoor::*run)(const Asked& asked);
    bool legacy;     // after initialize
    bool stateless;  // with a version in _meta
  };
  static std::span<const Method> methods();

  // front_door.cpp: the loop.
  void step(SteadyTime now);
  void wait(int signal_fd, SteadyTime now);
  Milliseconds pause(SteadyTime now) const;
  void read_input();
  void take_lines();
  void finish();
  Result<Client> dial() const;

  // dispatch.cpp: which method, in which version.
  void take(const Message& message);
  void take_request(const Message& message);
  void take_notification(const Message& message);
  void take_response(const Message& message);
  // nullptr: it was answered with an error.
  const Era* era_of(const Message& message, const json::object& meta);
  void run_method(const Asked& asked);
  void say(const std::string& line) { out_.add(line); }
  void answer(const Asked& asked, const json::object& result);
  void refuse(const Asked& asked, const Fault& fault);

  // methods.cpp: one function a method.
  void initialize(const Asked& asked);
  void discover(const Asked& asked);
  void ping(const Asked& asked);
  void list_tools(const Asked& asked);
  void call_tool(const Asked& asked);
  void list_resources(const Asked& asked);
  void list_templates(const Asked& asked);
  void read_resource(const Asked& asked);
  void listen(const Asked& asked);

  // changes.cpp: what the client hears without asking, and its roots.
  void ask_for_roots(SteadyTime now);
  void take_roots(const json::object& result);
  void tell_changes(SteadyTime now);
  void open_request(const Asked& asked, Pending pending);
  json::object context(const Asked& asked) const;
  void flush_held(SteadyTime now);

  const FrontDoorOptions options_;
  const int in_;
  LineReader reader_{kDefaultMaxFrame};
  LineWriter out_;
  Requests requests_;
  bool input_ended_ = false;

  const Era* era_ = nullptr;  // after initialize
  std::string client_name_ = "mcp";
  std::string client_version_;
  bool client_has_roots_ = false;
  bool client_ready_ = false;  // notifications/initialized came

  std::string workspace_;
  int roots_asked_ = 0;
  // Requests wait until the client told its roots, or this passed.
  std::optional<SteadyTime> roots_deadline_;
  std::vector<Pending> held_;

  // Ids (JSON text) of subscriptions/listen that want to hear of the tools.
  std::map<std::string, bool> listeners_;
  bool tools_changed_ = false;
  SteadyTime next_change_{};
  SteadyTime now_{};  // of this step
};

}  // namespace toolhost::cli::mcp
