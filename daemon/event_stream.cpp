#include "daemon/event_stream.hpp"

#include "daemon/connection.hpp"
#include "protocol/ids.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// 60 random bits: enough to tell two runs of the daemon apart.
constexpr std::size_t kEpochLength = 12;

FrameClass frame_class(const Event& event) {
  if (event.topic == Topic::output) return FrameClass::output;
  if (event.method == "call/progress") return FrameClass::progress;
  return FrameClass::event;
}

// `"time":"…","callId":…`: the members without the braces.
std::string members(const json::object& body, const std::string& time) {
  std::string out = "\"time\":\"" + time + '"';
  const std::string text = json_text(body);
  if (text.size() > 2) {
    out += ',';
    out.append(text, 1, text.size() - 2);
  }
  return out;
}

// What no session owns: everybody may see and nobody's filter hides it.
bool is_common(const Event& event) {
  if (!event.session.empty()) return false;
  return event.topic == Topic::tools || event.topic == Topic::providers ||
         event.topic == Topic::server;
}

}  // namespace

bool may_see(const Connection& connection, const Event& event) {
  if ((connection.roles & ~unsigned{kCaller}) != 0) return true;
  if (is_common(event)) return true;
  return !event.session.empty() && connection.sessions.contains(event.session);
}

bool wants(const EventFilter& filter, const Connection& connection,
           const Event& event) {
  if (!filter.topics.contains(event.topic)) return false;
  if (is_common(event) || event.topic == Topic::config) return true;
  if (!filter.workspace.empty() && event.workspace != filter.workspace) {
    return false;
  }
  if (!filter.call_ids.empty() && !filter.call_ids.contains(event.call)) {
    return false;
  }
  return !filter.mine || connection.sessions.contains(event.session);
}

EventStream::EventStream(const Clock& clock, std::size_t ring_events,
                         std::size_t ring_bytes)
    : clock_(clock),
      epoch_(random_id({}).substr(0, kEpochLength)),
      ring_events_(ring_events),
      ring_bytes_(ring_bytes) {}

EventStream::KeptPtr EventStream::keep(Event event) {
  auto kept = std::make_shared<Kept>();
  kept->frame_class = frame_class(event);
  std::string text = members(event.body, rfc3339(clock_.wall()));
  text += "}}\n";
  // Thousands of them are kept.
  text.shrink_to_fit();
  kept->text = std::make_shared<const std::string>(std::move(text));
  event.body = json::object();
  kept->event = std::move(event);
  if (kept->frame_class != FrameClass::event) return kept;
  kept->seq = ++seq_;
  held_bytes_ += kept->text->size();
  ring_.push_back(kept);
  while (ring_.size() > 1 &&
         (ring_.size() > ring_events_ || held_bytes_ > ring_bytes_)) {
    held_bytes_ -= ring_.front()->text->size();
    ring_.pop_front();
  }
  return kept;
}

// The seq of the first event in the ring; the next one's if it is empty.
std::uint64_t EventStream::oldest() const {
  return ring_.empty() ? seq_ + 1 : ring_.front()->seq;
}

void EventStream::publish(Event event) {
  const KeptPtr kept = keep(std::move(event));
  std::vector<std::string> full;
  for (auto& [id, subscription] : subscriptions_) {
    if (!subscription.live) continue;
    const auto connection = subscription.connection.lock();
    if (!connection || !connection->open()) continue;
    if (!wants(subscription.filter, *connection, kept->event)) continue;
    if (!may_see(*connection, kept->event)) continue;
    warn_if_slow(id, subscription, *connection);
    if (!deliver(id, subscription, *connection, *kept)) full.push_back(id);
  }
  for (const auto& id : full) overflow(id);
}

// False: an event did not fit. Progress and output never end a subscription.
bool EventStream::deliver(const std::string& id, Subscription& subscription,
                          Connection& connection, const Kept& kept) {
  std::string head = R"({"jsonrpc":"2.0","method":")" + kept.event.method +
                     R"(","params":{"subscriptionId":")" + id +
                     R"(","epoch":")" + epoch_ + "\",";
  if (kept.seq != 0) {
    head += "\"seq\":" + std::to_string(kept.seq) +
            ",\"prev\":" + std::to_string(subscription.prev) + ',';
  }
  std::string key;
  if (kept.frame_class == FrameClass::progress) key = id + kept.event.call;
  const bool sent =
      connection.send_shared(kept.frame_class, std::move(head), kept.text, key);
  if (kept.seq == 0) return true;
  if (sent) subscription.prev = kept.seq;
  return sent;
}

void EventStream::warn_if_slow(const std::string& id,
                               Subscription& subscription,
                               Connection& connection) {
  if (!connection.outbox().slow()) {
    subscription.warned = false;
    return;
  }
  if (std::exchange(subscription.warned, true)) return;
  connection.send(
      FrameClass::event,
      notification_text("stream/slow", "{\"subscriptionId\":\"" + id + "\"}"));
}

void EventStream::tell(Connection& connection, const Event& event) {
  const std::string params =
      '{' + members(event.body, rfc3339(clock_.wall())) + '}';
  connection.send(frame_class(event), notification_text(event.method, params),
                  event.call);
}

}  // namespace toolhost
