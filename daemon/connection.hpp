// Connection: one socket. Reads frames, dispatches requests, writes replies and
// events, and keeps what belongs to the socket.
//
// Loop thread only. Held by serve(), the server's list and pending requests
// (shared_ptr: whoever is last).
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/method.hpp"
#include "daemon/outbox.hpp"
#include "daemon/peer.hpp"
#include "daemon/readiness.hpp"
#include "protocol/framing.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

enum class SocketKind { control, caller };

struct ClientInfo {
  std::string name;
  std::string version;
  std::string title;
};

class Connection final : public std::enable_shared_from_this<Connection>,
                         private Readiness::Watcher {
 public:
  // `socket` is non-blocking.
  Connection(Daemon& daemon, UniqueFd socket, Peer peer, SocketKind kind);
  ~Connection();

  // Serves the socket until it ends; then everything it had waiting is told.
  Task<void> serve();
  // Returns when the handlers of its requests have ended.
  Task<void> join() { return requests_.join(); }

  // Reads no more, lets what runs answer, sends what waits, then closes. With
  // a reason, one error frame (id null) goes first.
  void close_with(const Error& error);
  void close();
  // Ends at once; what waits is lost. `why` is logged with pid and name.
  void abort(std::string_view why);
  // Nobody has hung up and nobody closes it: what is sent will be read.
  bool open() const { return open_ && !closing_; }

  const std::string& id() const { return id_; }
  const Peer& peer() const { return peer_; }
  SocketKind kind() const { return kind_; }

  // Set by initialize.
  bool initialized = false;
  unsigned roles = 0;
  ClientInfo client;
  // A person is behind it: may answer questions that only people may answer.
  bool interactive = false;
  // Default workspace of its calls; empty when it named none.
  std::string workspace;

  // Sessions that it opened or attached to, and its implicit ones.
  std::set<std::string> sessions;
  // Subscriptions by id; the event stream owns their meaning.
  std::set<std::string> subscriptions;

  bool has_role(unsigned role) const { return (roles & role) != 0; }

  // `frame` is JSON text. False: the frame was dropped (output), or an event
  // did not fit (the caller ends that subscription). A connection that is
  // ending takes everything and sends nothing: true.
  bool send(FrameClass frame_class, std::string frame,
            std::string_view key = {});
  // The same for a frame whose end is shared; `rest` brings its line feed.
  bool send_shared(FrameClass frame_class, std::string head, SharedBytes rest,
                   std::string_view key = {});
  const Outbox& outbox() const { return outbox_; }

  // While one lives, frames are gathered and leave in one write.
  class Corked {
   public:
    explicit Corked(Connection& connection) : connection_(connection) {
      ++connection_.corks_;
    }
    ~Corked() {
      if (--connection_.corks_ == 0) connection_.flush();
    }
    Corked(const Corked&) = delete;

   private:
    Connection& connection_;
  };

 private:
  friend class PendingRequest;

  // connection.cpp: the life of the socket.
  Task<void> until_input_ends();
  Task<void> serve_half_closed();
  Task<void> finish();
  Task<void> linger();
  void limit_time(std::chrono::milliseconds time, std::string why);
  void wake();
  std::string described() const;

  // connection_read.cpp: from bytes to frames.
  void ready(std::uint32_t events) override;
  void take_events(std::uint32_t events);
  void read_once();
  void guarded(const std::function<void()>& work);
  void take_frames();
  void take_frames_later();
  void resume_reading();
  bool peer_reads() const;
  bool watch();
  void unwatch();
  void update_interest();

  // connection_dispatch.cpp: frames and requests.
  bool dispatch_held();
  void dispatch(std::string_view frame);
  void dispatch_request(Request request);
  void dispatch_notification(const Request& request);
  void answer_now(const MethodDefinition& method, const Request& request);
  void start_later(const MethodDefinition& method, Request request);
  Task<void> run(const MethodDefinition* method,
                 std::shared_ptr<PendingRequest> request);
  void stop_requests(const std::string& why);
  void request_ended(const std::string& id, bool reserved);

  // connection_write.cpp: from frames to bytes.
  void answer(std::string_view id, std::string_view result);
  void fail(std::string_view id, const Error& error);
  bool may_stage(std::size_t bytes) const;
  void staged();
  bool queue(FrameClass frame_class, std::string bytes, std::string_view key,
             SharedBytes rest);
  void flush();
  bool write_some();
  void consumed(std::size_t written);
  bool unsent() const { return !staged_.empty() || !outbox_.empty(); }
  void continue_writing();
  void watch_progress();

  Daemon& daemon_;
  UniqueFd socket_;
  Peer peer_;
  SocketKind kind_;
  std::string id_;
  bool open_ = true;          // the peer may still get frames
  bool closing_ = false;      // reads no more, sends what waits
  bool reading_ = true;       // the end of the input was not seen
  bool half_closed_ = false;  // the peer sends no more, but still reads
  bool paused_ = false;       // the peer has to fetch replies first
  bool more_frames_ = false;  // frames wait for their turn of the loop
  bool bad_frame_ = false;    // the peer may still be sending it
  bool writing_ = false;      // bytes wait for the socket to take more
  int corks_ = 0;
  Readiness::Id watched_ = 0;
  std::uint32_t interest_ = 0;

  FrameReader reader_;
  // Small frames on their way into one write, in front of the outbox: used
  // only while nothing waits in there.
  std::string staged_;
  std::size_t staged_sent_ = 0;
  Outbox outbox_;
  std::uint64_t bytes_taken_ = 0;  // by the socket, in all

  TaskGroup requests_;
  std::unordered_map<std::string, std::weak_ptr<PendingRequest>> in_flight_;
  int ordinary_in_flight_ = 0;
  int reserved_in_flight_ = 0;

  // Never expires; cancelled so that serve() looks at the state again.
  asio::steady_timer wake_;
  asio::steady_timer stall_;
  asio::steady_timer limit_;  // of the ending
};

}  // namespace toolhost
