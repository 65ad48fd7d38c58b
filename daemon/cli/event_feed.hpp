// EventFeed: events of the daemon that survive its restarts.
//
// Connects, subscribes, resumes after the last event that was handed out, and
// connects again with growing pauses. Whoever uses it polls `fd` and calls
// `step`; nothing here waits longer than one connection attempt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/client.hpp"

namespace toolhost::cli {

struct FeedItem {
  enum class Kind {
    lost,      // `error` says why; the feed tries again
    snapshot,  // `params` is the result of subscribe: forget what you had
    resumed,   // nothing was missed
    event,     // `method` and `params`
  };
  Kind kind = Kind::event;
  std::string method;
  json::object params;
  std::optional<Error> error;
};

class EventFeed {
 public:
  static constexpr Milliseconds kFirstPause{250};
  static constexpr Milliseconds kLongestPause{5000};

  // `dial` makes an initialised connection.
  EventFeed(std::function<Result<Client>()> dial,
            std::vector<std::string> topics);

  // What happened since the last step; connects when it is time to.
  std::vector<FeedItem> step(SteadyTime now);

  bool connected() const { return client_.has_value(); }
  // -1 while not connected.
  int fd() const { return client_ ? client_->fd() : -1; }
  // How long until step has something to do by itself; kForever: never.
  Milliseconds pause(SteadyTime now) const;
  // Requests on the same connection; nullptr while not connected.
  Client* client() { return client_ ? &*client_ : nullptr; }

 private:
  void connect(std::vector<FeedItem>& out, SteadyTime now);
  bool subscribe(std::vector<FeedItem>& out);
  void lose(std::vector<FeedItem>& out, const Error& error, SteadyTime now);
  void take(std::vector<FeedItem>& out, Notification notification);

  std::function<Result<Client>()> dial_;
  json::array topics_;
  std::optional<Client> client_;
  SteadyTime next_try_{};
  Milliseconds next_pause_ = kFirstPause;
  std::string epoch_;
  std::uint64_t seq_ = 0;
  bool again_ = false;  // the subscription ended: subscribe with `since`
  std::uint64_t dropped_ = 0;
};

}  // namespace toolhost::cli
