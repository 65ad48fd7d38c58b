// Link: the connection to the daemon, made when it is wanted and again when it
// was lost, with growing pauses.
#pragma once

#include <functional>
#include <optional>

#include "protocol/client.hpp"

namespace toolhost::cli::mcp {

class Link {
 public:
  static constexpr Milliseconds kFirstPause{100};
  static constexpr Milliseconds kLongestPause{3000};

  // `dial` makes an initialised connection that hears of its tools.
  explicit Link(std::function<Result<Client>()> dial)
      : dial_(std::move(dial)) {}

  enum class Change {
    none,
    up,      // connected: what is not answered has to be sent
    down,    // lost: what was sent has no answer, the replies that came can
             // still be taken before the next step
    failed,  // no connection could be made; `why` says why
  };

  // Connects when it is time to, and reads what is there.
  Change step(SteadyTime now);
  // The next step tries at once.
  void hurry(SteadyTime now) { next_try_ = now; }

  // nullptr while there is no connection.
  Client* client() { return client_ ? &*client_ : nullptr; }
  bool connected() const { return client_.has_value(); }
  int fd() const { return client_ ? client_->fd() : -1; }
  // How long until step has something to do by itself.
  Milliseconds pause(SteadyTime now) const;
  const Error& why() const { return why_; }
  // There was a connection once.
  bool known() const { return known_; }

 private:
  std::function<Result<Client>()> dial_;
  std::optional<Client> client_;
  bool lost_ = false;
  bool known_ = false;
  SteadyTime next_try_{};
  Milliseconds next_pause_ = kFirstPause;
  Error why_;
};

}  // namespace toolhost::cli::mcp
