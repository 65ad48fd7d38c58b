#include "daemon/cli/event_feed.hpp"

#include <algorithm>

#include "daemon/cli/json_read.hpp"

namespace toolhost::cli {
namespace {

constexpr Milliseconds kSubscribeLimit{10'000};

}  // namespace

EventFeed::EventFeed(std::function<Result<Client>()> dial,
                     std::vector<std::string> topics)
    : dial_(std::move(dial)), topics_(topics.begin(), topics.end()) {}

Milliseconds EventFeed::pause(SteadyTime now) const {
  if (client_) {
    // Read by a request on the same connection: the socket will not wake us.
    return client_->has_notifications() ? Milliseconds(0) : Client::kForever;
  }
  if (next_try_ <= now) return Milliseconds(0);
  return std::chrono::ceil<Milliseconds>(next_try_ - now);
}

void EventFeed::lose(std::vector<FeedItem>& out, const Error& error,
                     SteadyTime now) {
  client_.reset();
  next_try_ = now + next_pause_;
  next_pause_ = std::min(next_pause_ * 2, kLongestPause);
  FeedItem item;
  item.kind = FeedItem::Kind::lost;
  item.error = error;
  out.push_back(std::move(item));
}

void EventFeed::connect(std::vector<FeedItem>& out, SteadyTime now) {
  auto client = dial_();
  if (!client) return lose(out, client.error(), now);
  client_.emplace(std::move(*client));
  dropped_ = 0;
  if (!subscribe(out)) {
    const Error error = *out.back().error;
    out.pop_back();
    return lose(out, error, now);
  }
  next_pause_ = kFirstPause;
}

// On failure the last item of `out` carries the error.
bool EventFeed::subscribe(std::vector<FeedItem>& out) {
  json::object params;
  params["topics"] = topics_;
  params["snapshot"] = epoch_.empty();
  if (!epoch_.empty()) {
    json::object since;
    since["epoch"] = epoch_;
    since["seq"] = seq_;
    params["since"] = std::move(since);
  }
  auto result = client_->call("subscribe", params, kSubscribeLimit);
  FeedItem item;
  if (!result) {
    item.kind = FeedItem::Kind::lost;
    item.error = result.error();
    out.push_back(std::move(item));
    return false;
  }
  again_ = false;
  const bool resumed = bool_at(*result, "resumed");
  if (resumed) {
    item.kind = FeedItem::Kind::resumed;
  } else {
    // The state at this seq; everything later follows.
    item.kind = FeedItem::Kind::snapshot;
    epoch_ = text_at(*result, "epoch");
    seq_ = static_cast<std::uint64_t>(int_at(*result, "seq").value_or(0));
  }
  item.params = std::move(*result);
  out.push_back(std::move(item));
  return true;
}

void EventFeed::take(std::vector<FeedItem>& out, Notification notification) {
  if (notification.method == "stream/overflow") {
    again_ = true;
    return;
  }
  if (notification.method.starts_with("stream/")) return;
  const json::object& params = notification.params;
  if (const auto seq = int_at(params, "seq")) {
    const auto number = static_cast<std::uint64_t>(*seq);
    // Replayed although we have it: the subscription overlaps another.
    if (number <= seq_ && text_at(params, "epoch") == epoch_) return;
    seq_ = number;
  }
  FeedItem item;
  item.method = std::move(notification.method);
  item.params = std::move(notification.params);
  out.push_back(std::move(item));
}

std::vector<FeedItem> EventFeed::step(SteadyTime now) {
  std::vector<FeedItem> out;
  if (!client_) {
    if (now < next_try_) return out;
    connect(out, now);
    if (!client_) return out;
  }
  auto read = client_->pump(Milliseconds(0));
  while (auto notification = client_->take_notification()) {
    take(out, std::move(*notification));
  }
  if (!read) {
    if (client_fault(read.error()) != ClientFault::interrupted) {
      lose(out, read.error(), now);
    }
    return out;
  }
  if (client_->dropped_notifications() != dropped_) {
    // We were too slow ourselves: what was dropped is in the daemon's ring or
    // in its snapshot.
    dropped_ = client_->dropped_notifications();
    epoch_.clear();
    again_ = true;
  }
  if (again_ && !subscribe(out)) {
    const Error error = *out.back().error;
    out.pop_back();
    lose(out, error, now);
  }
  return out;
}

}  // namespace toolhost::cli
