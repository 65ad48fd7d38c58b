// Subscriptions: where they begin, what they missed, how they end.

#include <utility>

#include "daemon/connection.hpp"
#include "daemon/event_stream.hpp"
#include "protocol/ids.hpp"

namespace toolhost {

Result<Subscribed> EventStream::subscribe(
    const std::shared_ptr<Connection>& connection, EventFilter filter,
    std::optional<Cursor> since) {
  if (connection->subscriptions.size() >= kMaxSubscriptions) {
    return make_error(Code::quota_exceeded,
                      "The connection has " +
                          std::to_string(kMaxSubscriptions) + " subscriptions.",
                      "End one with unsubscribe, or ask for more topics in "
                      "one subscription.");
  }
  Subscribed out;
  out.subscription_id = random_id("sub_");
  out.seq = seq_;
  Subscription subscription;
  subscription.connection = connection;
  subscription.filter = std::move(filter);
  subscription.prev = subscription.replayed = seq_;
  if (since) {
    if (since->epoch != epoch_) {
      out.gap = "epochChanged";
    } else if (since->seq > seq_) {
      out.gap = "ahead";
    } else if (since->seq + 1 < oldest()) {
      out.gap = "evicted";
    } else {
      out.resumed = true;
      subscription.prev = subscription.replayed = since->seq;
    }
  }
  connection->subscriptions.insert(out.subscription_id);
  subscriptions_.emplace(out.subscription_id, std::move(subscription));
  return out;
}

void EventStream::start(const std::string& subscription_id) {
  const auto found = subscriptions_.find(subscription_id);
  if (found == subscriptions_.end()) return;
  Subscription& subscription = found->second;
  const auto connection = subscription.connection.lock();
  if (!connection) return;
  // Corked chunks: a reader that keeps up drains each of them at once. Without
  // progress something waits in the outbox, and drained() goes on.
  Replay state = Replay::waits_for_room;
  bool progress = true;
  while (state == Replay::waits_for_room && progress) {
    const std::uint64_t before = subscription.replayed;
    const Connection::Corked gathered(*connection);
    state = replay(subscription_id, subscription, *connection);
    progress = subscription.replayed != before;
  }
  if (state == Replay::overflow) return overflow(subscription_id);
}

// Sends from the ring until the present is reached or the reader has to catch
// up. What was not sent stays the ring's, so nothing is lost by waiting.
EventStream::Replay EventStream::replay(const std::string& id,
                                        Subscription& subscription,
                                        Connection& connection) {
  while (subscription.replayed < seq_) {
    if (connection.outbox().slow()) return Replay::waits_for_room;
    const std::uint64_t next = subscription.replayed + 1;
    if (next < oldest()) return Replay::overflow;
    const KeptPtr kept = ring_[next - oldest()];
    if (wants(subscription.filter, connection, kept->event) &&
        may_see(connection, kept->event) &&
        !deliver(id, subscription, connection, *kept)) {
      return Replay::waits_for_room;
    }
    subscription.replayed = next;
  }
  subscription.live = true;
  connection.send(
      FrameClass::reply,
      notification_text("stream/live", "{\"subscriptionId\":\"" + id + "\"}"));
  return Replay::done;
}

void EventStream::drained(Connection& connection) {
  if (connection.subscriptions.empty()) return;
  const auto ids = connection.subscriptions;  // an overflow erases one
  for (const auto& id : ids) {
    const auto found = subscriptions_.find(id);
    if (found != subscriptions_.end() && !found->second.live) start(id);
  }
}

// The subscription ends as a whole: its reader resumes with `since`.
void EventStream::overflow(const std::string& id) {
  const auto found = subscriptions_.find(id);
  if (found == subscriptions_.end()) return;
  const auto connection = found->second.connection.lock();
  // Everything up to here was sent or not asked for.
  const std::uint64_t last =
      found->second.live ? seq_ - 1 : found->second.replayed;
  subscriptions_.erase(found);
  if (!connection) return;
  connection->subscriptions.erase(id);
  connection->send(
      FrameClass::reply,
      notification_text("stream/overflow",
                        "{\"subscriptionId\":\"" + id + "\",\"epoch\":\"" +
                            epoch_ + "\",\"lastSeq\":" + std::to_string(last) +
                            '}'));
}

Result<void> EventStream::unsubscribe(Connection& connection,
                                      const std::string& subscription_id) {
  if (connection.subscriptions.erase(subscription_id) == 0) {
    return make_error(
        Code::subscription_not_found,
        "This connection has no subscription \"" + subscription_id + "\".",
        "It may have ended with stream/overflow.");
  }
  subscriptions_.erase(subscription_id);
  return {};
}

void EventStream::drop(Connection& connection) {
  for (const auto& id : connection.subscriptions) subscriptions_.erase(id);
  connection.subscriptions.clear();
}

}  // namespace toolhost
