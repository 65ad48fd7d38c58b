// Calls: the table of live and recent calls.
//
// A call is live until its result is there; the newest results stay for getCall
// and for a caller that attaches again. Loop thread only.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "gates/call.hpp"
#include "gates/pipeline.hpp"
#include "providers/support/one_shot.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

struct LiveCall {
  std::shared_ptr<Call> call;
  std::shared_ptr<OneShot<bool>> done;
  // Connections that wait for it; when the last one goes, the disconnect rule
  // applies.
  int waiting = 0;
  bool cancel_on_disconnect = true;
  // Set while nobody waits for it and somebody may still come back.
  std::shared_ptr<asio::steady_timer> grace;
};
using LiveCallPtr = std::shared_ptr<LiveCall>;

class Calls {
 public:
  static constexpr std::size_t kRecent = 1000;
  // Results kept for getCall, in bytes of text.
  static constexpr std::size_t kRecentBytes = 16U << 20;

  Calls(asio::io_context& loop, Pipeline& pipeline, Clock& clock);

  // Starts the call; fails when limits.running_calls live calls run already
  // (those that wait for a person do not count).
  Result<LiveCallPtr> start(std::shared_ptr<Call> call, int max_running);

  // A call that waited for a person in an earlier life of the daemon. Its
  // caller has `grace` from now to come back, unless the call stays.
  LiveCallPtr restore(std::shared_ptr<Call> call, Milliseconds grace);

  LiveCallPtr find(const std::string& call_id) const;
  LiveCallPtr find_key(const std::string& session,
                       const std::string& key) const;
  // Newest first.
  std::vector<LiveCallPtr> list() const;

  // One waiter less: with nobody left, cancels after `grace` unless somebody
  // attached again meanwhile (only calls that asked for it).
  void leave(const LiveCallPtr& live, Milliseconds grace);

  void cancel_session(const std::string& session, const std::string& why);
  void cancel_all(const std::string& why);
  std::size_t running() const;
  std::size_t live() const { return live_.size(); }
  Task<void> join();
  // Returns after a call ended. Who waits for a condition looks again.
  Task<void> next_end() { return ended_.next(); }
  // Returns when no call is left, or at the deadline. For one waiter.
  Task<void> drain(SteadyTime deadline);

 private:
  LiveCallPtr add(std::shared_ptr<Call> call);
  Task<void> drive(LiveCallPtr live);
  void wait_for_caller(const LiveCallPtr& live, Milliseconds grace);
  Task<void> cancel_later(LiveCallPtr live,
                          std::shared_ptr<asio::steady_timer> grace);

  asio::io_context& loop_;
  Pipeline& pipeline_;
  Clock& clock_;
  std::map<std::string, LiveCallPtr> live_;
  std::map<std::pair<std::string, std::string>, LiveCallPtr> keys_;
  std::deque<LiveCallPtr> recent_;
  std::size_t recent_bytes_ = 0;
  OneShot<bool> ended_;  // poked, never set
  asio::steady_timer drained_;
  TaskGroup tasks_;
};

}  // namespace toolhost
