// EventStream: events with epoch, seq and prev; a ring for replay; and the
// subscriptions that read it.
//
// The reply to subscribe is the state *at* its seq; every matching event with a
// higher seq follows, in order, once. Slow readers cost only themselves: when
// an event does not fit into a connection's outbox, that subscription ends with
// stream/overflow {lastSeq} and the client resumes with `since`.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/outbox.hpp"
#include "protocol/clock.hpp"
#include "protocol/error.hpp"
#include "protocol/event.hpp"

namespace toolhost {

class Connection;

struct Cursor {
  std::string epoch;
  std::uint64_t seq = 0;
};

struct EventFilter {
  std::set<Topic> topics;
  std::string workspace;           // empty: any
  std::set<std::string> call_ids;  // empty: any
  bool mine = false;               // only the connection's own sessions
};

struct Subscribed {
  std::string subscription_id;
  std::uint64_t seq = 0;
  bool resumed = false;
  // evicted, epochChanged, ahead; empty: none.
  std::string gap;
};

class EventStream : public EventSink {
 public:
  // Of one connection; a client needs one or two.
  static constexpr std::size_t kMaxSubscriptions = 32;

  EventStream(const Clock& clock, std::size_t ring_events,
              std::size_t ring_bytes);

  void publish(Event event) override;

  // `call/output` and `call/progress` for the connection that executes, without
  // a subscription; progress and output are never in the ring.
  void tell(Connection& connection, const Event& event);

  // Adds the subscription; events missed since `since` are queued behind the
  // reply, so `start` is called after the reply was sent (and in the same turn
  // of the loop, so that the reply is the state at its seq).
  Result<Subscribed> subscribe(const std::shared_ptr<Connection>& connection,
                               EventFilter filter, std::optional<Cursor> since);
  void start(const std::string& subscription_id);
  Result<void> unsubscribe(Connection& connection,
                           const std::string& subscription_id);
  void drop(Connection& connection);
  // The connection has room again: replays go on.
  void drained(Connection& connection);

  const std::string& epoch() const { return epoch_; }
  std::uint64_t seq() const { return seq_; }
  // Connections with a subscription to approvals, and those with role approver
  // are counted elsewhere; this is for status.
  std::size_t subscriptions() const { return subscriptions_.size(); }

 private:
  // An event as it is kept and sent.
  struct Kept {
    std::uint64_t seq = 0;  // 0: progress or output, which have none
    FrameClass frame_class = FrameClass::event;
    Event event;  // body emptied once serialised
    // `"time":…,<body members>}}` and a line feed: the end of the frame.
    SharedBytes text;
  };
  using KeptPtr = std::shared_ptr<const Kept>;  // the ring and a replay

  struct Subscription {
    std::weak_ptr<Connection> connection;
    EventFilter filter;
    // Of the last event that was sent.
    std::uint64_t prev = 0;
    // Until the replay has reached the present, the ring is the source.
    bool live = false;
    std::uint64_t replayed = 0;
    bool warned = false;  // stream/slow was told
  };
  using Subscriptions = std::map<std::string, Subscription>;

  enum class Replay { done, waits_for_room, overflow };

  KeptPtr keep(Event event);
  std::uint64_t oldest() const;
  bool deliver(const std::string& id, Subscription& subscription,
               Connection& connection, const Kept& kept);
  void warn_if_slow(const std::string& id, Subscription& subscription,
                    Connection& connection);
  void overflow(const std::string& id);
  Replay replay(const std::string& id, Subscription& subscription,
                Connection& connection);

  const Clock& clock_;
  const std::string epoch_;
  std::uint64_t seq_ = 0;
  std::size_t ring_events_;
  std::size_t ring_bytes_;
  std::size_t held_bytes_ = 0;
  // No gap inside: the seq of the n-th is oldest() + n.
  std::deque<KeptPtr> ring_;
  Subscriptions subscriptions_;
};

// May this connection see it? A connection that is only a caller sees its own
// sessions' events, and what concerns nobody's session (tools, providers, the
// server).
bool may_see(const Connection& connection, const Event& event);
// Does the subscription ask for it?
bool wants(const EventFilter& filter, const Connection& connection,
           const Event& event);

}  // namespace toolhost
