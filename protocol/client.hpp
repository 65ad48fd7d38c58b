// Client: a blocking connection to the daemon, for programs without a loop.
//
// POSIX sockets and poll only. Used by one thread at a time; several clients
// in several threads share nothing. While it waits, for a reply or for room to
// write, it reads: a client cannot deadlock itself with a daemon that stops
// reading it. Nothing raises SIGPIPE, everything kept is bounded.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/clock.hpp"
#include "protocol/error.hpp"
#include "protocol/framing.hpp"

namespace toolhost {

// Why there is no answer, told apart from an answer that is an error.
enum class ClientFault {
  none,         // the daemon answered; the Error is its own
  unreachable,  // no connection could be made
  closed,       // the connection ended
  timed_out,    // the limit passed first
  interrupted,  // the descriptor of interrupt_with became readable
  garbled,      // the peer does not speak the protocol
};

ClientFault client_fault(const Error& error);
// "unreachable", "connectionClosed", …; empty for none.
std::string_view name(ClientFault fault);

struct Notification {
  std::string method;
  json::object params;
};

// What initialize says about us.
struct ClientIdentity {
  std::string name = "toolhost";
  std::string version;
  std::vector<std::string> roles;  // empty: all that the socket grants
  bool interactive = false;        // a person sits here
  std::string workspace;           // default of execute
};

class Client {
 public:
  static constexpr Milliseconds kForever = Milliseconds::max();
  static constexpr Milliseconds kDefaultLimit{30'000};
  // Kept until they are fetched; the oldest are dropped and counted.
  static constexpr std::size_t kMaxNotifications = 16'384;
  static constexpr std::size_t kMaxNotificationBytes = 64U << 20;
  // The daemon's limit is configurable; four times its default holds a reply
  // of any sane setting.
  static constexpr std::size_t kMaxFrame = 4 * kDefaultMaxFrame;

  using RequestId = std::int64_t;

  // Fails unless the peer runs as our user or as root. The error names the
  // path, its owner, what the system said and the next command.
  static Result<Client> connect(const std::string& path);

  // Takes over a connected stream socket; `path` names it in messages.
  Client(int fd, std::string path);

  // Sends initialize and keeps limits and connectionId.
  Result<json::object> initialize(const ClientIdentity& identity,
                                  Milliseconds limit = kDefaultLimit);

  // send and wait. A reply that comes after the limit is dropped.
  Result<json::object> call(std::string_view method, const json::object& params,
                            Milliseconds limit = kDefaultLimit);

  // Pipelining: send any number, wait in any order.
  Result<RequestId> send(std::string_view method, const json::object& params);
  // The request stays open when this times out or is interrupted.
  Result<json::object> wait(RequestId id, Milliseconds limit = kDefaultLimit);
  // The reply if it is here, without reading the socket.
  std::optional<Result<json::object>> take(RequestId id);
  // The reply of this request will be dropped.
  void abandon(RequestId id);

  Result<void> notify(std::string_view method, const json::object& params);
  // $/cancelRequest; the reply of `id` still comes.
  Result<void> cancel_request(RequestId id);
  // Bytes of a frame as they are, for tests and `toolhost rpc`.
  Result<void> send_frame(std::string_view frame);

  Result<Notification> next_notification(Milliseconds limit = kDefaultLimit);
  // The next of this method; the others stay in the queue, in order.
  Result<Notification> next_notification(std::string_view method,
                                         Milliseconds limit = kDefaultLimit);
  std::optional<Notification> take_notification();
  bool has_notifications() const { return !notifications_.empty(); }
  // How many were dropped because nobody fetched them.
  std::uint64_t dropped_notifications() const { return dropped_; }
  // Notifications go here instead of into the queue, in the middle of any
  // function above that reads. It must not use this client.
  void on_notification(std::function<void(Notification)> receive);

  // Reads what is there within the limit: replies and notifications are then
  // ready to be taken. False when nothing came.
  Result<bool> pump(Milliseconds limit);

  // A wait ends with `interrupted` while this descriptor is readable; -1: off.
  void interrupt_with(int fd) { interrupt_fd_ = fd; }

  int fd() const { return socket_.fd; }
  const std::string& path() const { return path_; }
  const std::string& connection_id() const { return connection_id_; }
  const std::string& epoch() const { return epoch_; }
  // Nothing more will come; what is queued can still be taken.
  bool closed() const { return end_.has_value(); }
  void close();

 private:
  struct Socket {
    explicit Socket(int descriptor) : fd(descriptor) {}
    Socket(Socket&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
    Socket& operator=(Socket&& other) noexcept;
    ~Socket();
    int fd;
  };

  // Absolute, so that a wait that is woken often still ends.
  using Until = std::optional<SteadyTime>;
  static Until until(Milliseconds limit);

  // Waits for `events`; false when `end` passed.
  Result<bool> ready(short events, Until end);
  Result<void> read_available();
  Result<void> write_all(std::string_view bytes, Until end);
  Result<bool> pump_until(Until end);
  void receive(std::string_view frame);
  void receive_reply(const json::value& id, json::object& message);
  void queue(Notification notification, std::size_t bytes);
  // The first reason wins and is returned.
  const Error& finish(Error error);
  Error fault(ClientFault kind, std::string message,
              std::string hint = {}) const;

  Socket socket_;
  std::string path_;
  std::string connection_id_;
  std::string epoch_;
  std::size_t peer_max_frame_ = kDefaultMaxFrame;
  FrameReader reader_{kMaxFrame};
  RequestId next_id_ = 1;
  std::set<RequestId> open_;
  std::map<RequestId, Result<json::object>> replies_;
  struct Queued {
    Notification notification;
    std::size_t bytes;
  };
  std::deque<Queued> notifications_;
  std::size_t notification_bytes_ = 0;
  std::uint64_t dropped_ = 0;
  std::function<void(Notification)> receiver_;
  int interrupt_fd_ = -1;
  // Why nothing more comes; set once.
  std::optional<Error> end_;
};

}  // namespace toolhost
