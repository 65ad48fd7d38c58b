// Requests: what the client asked and the daemon has not answered yet.
//
// Every request outlives the connection that it was sent on. A call carries an
// id and an idempotency key of its own, so that sending it again after the
// daemon came back attaches to the call that runs, waits or has ended: nothing
// runs twice. While a call goes on, whoever asked for progress hears a sign of
// life every ten seconds, because clients give up on silence.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/cli/mcp/link.hpp"
#include "daemon/cli/mcp/mapping.hpp"
#include "daemon/cli/mcp/message.hpp"

namespace toolhost::cli::mcp {

struct Limits {
  // Until the first sign of life, and between later ones.
  Milliseconds patience{1000};
  Milliseconds sign_of_life{10'000};
  // For a daemon that was there to come back; one that never was is not
  // waited for.
  Milliseconds absence{60'000};
  // Requests that the client may have open.
  std::size_t open = 256;
};

// One request of the client.
struct Pending {
  enum class Kind { list_tools, call_tool, read_output };
  Kind kind = Kind::list_tools;
  std::string id;              // JSON text
  const Era* era = nullptr;    // of the table in era.cpp
  json::object params;         // of the daemon's method
  std::string call_id;         // call_tool
  json::value progress_token;  // call_tool; null: none is wanted
  json::object watched;        // list_tools: the list without a context
  std::string uri;             // read_output, as it was asked
  OutputUri output;            // read_output
};

class Requests {
 public:
  // Of the 64 that the daemon takes on a connection: the others are for
  // questions about calls and for cancelling them.
  static constexpr std::size_t kMaxSent = 48;

  // `say` takes a line for the client.
  Requests(const Limits& limits, std::function<Result<Client>()> dial,
           std::function<void(const std::string&)> say);

  void add(Pending request, SteadyTime now);
  // False: there is none of this id. It is not answered any more.
  bool cancel(const std::string& id, const std::string& reason);
  void cancel_all(const std::string& reason);
  bool has(const std::string& id) const { return open_.contains(id); }
  std::size_t count() const { return open_.size(); }
  bool empty() const { return open_.empty(); }

  // Sends, takes what came, answers. Connects only for an open request: a
  // client that is idle would start a daemon again that a person has stopped.
  void step(SteadyTime now);
  int fd() const { return link_.fd(); }
  Milliseconds pause(SteadyTime now) const;

  // The tools may be others since this was asked last.
  bool take_tools_changed() { return std::exchange(tools_changed_, false); }

 private:
  struct Open {
    Pending request;
    std::optional<Client::RequestId> sent;
    bool known = false;     // some daemon may have it
    SteadyTime deadline{};  // counts while it is not sent
    SteadyTime next_sign{};
    std::optional<Client::RequestId> asked;  // getCall, for a sign of life
    std::int64_t progress = 0;
  };
  // Waits here while the connection is gone.
  struct Cancel {
    std::string call_id;
    std::string reason;
    SteadyTime deadline{};
  };

  void lost(SteadyTime now);
  void give_up(SteadyTime now);
  // Nothing needs a connection.
  bool idle() const { return open_.empty() && cancels_.empty(); }
  void send_cancels();
  void send_waiting(SteadyTime now);
  static void watch(const Pending& request, Client& client);
  void take_replies(SteadyTime now);
  // True: it was answered and is no longer open.
  bool take_reply(Open& open, Result<json::object> reply, SteadyTime now);
  void ask_for_signs(SteadyTime now);
  void take_sign(Open& open, SteadyTime now);
  void take_notifications(SteadyTime now);
  void tell_progress(Open& open, const std::string& message, SteadyTime now);
  void fail(const Pending& request, const Error& error);
  void wait_again(Open& open, SteadyTime now);

  const Limits limits_;
  Link link_;
  std::function<void(const std::string&)> say_;
  std::map<std::string, Open> open_;
  std::vector<Cancel> cancels_;
  std::size_t sent_ = 0;   // of them, sent on this connection
  bool stopping_ = false;  // the daemon said so on this connection
  bool tools_changed_ = false;
  SteadyTime now_{};     // of the last step
  bool listed_ = false;  // the client has seen tools
};

}  // namespace toolhost::cli::mcp
