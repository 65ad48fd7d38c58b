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

 private:
  Task<void> drive(LiveCallPtr live);
  Task<void> cancel_later(LiveCallPtr live, Milliseconds grace);

  asio::io_context& loop_;
  Pipeline& pipeline_;
  Clock& clock_;
  std::map<std::string, LiveCallPtr> live_;
  std::map<std::pair<std::string, std::string>, LiveCallPtr> keys_;
  std::deque<LiveCallPtr> recent_;
  std::size_t recent_bytes_ = 0;
  TaskGroup tasks_;
};

}  // namespace toolhost
