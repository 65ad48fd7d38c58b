// Scheduler: calls that touch the same things run one after the other.
//
// Two calls conflict when one of them writes a path that the other touches,
// whatever their workspaces are. A call without declared accesses (nullopt)
// and an access of kind `all` stand for everything inside the call's domain:
// they conflict with every call of an overlapping domain and with every path
// inside their own, but not with calls of other workspaces, so that one long
// `bash` does not stop the other sessions. An empty list conflicts with
// nothing, not even with `all`.
//
// A call starts when it conflicts with no call that came before it and has
// not ended: conflicting calls run in the order of arrival, an independent one
// may overtake. Paths are compared by whole components and lower-cased: that
// is a lock key only, too much is locked where case matters.
//
// Loop thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/error.hpp"
#include "providers/execution.hpp"
#include "providers/support/stop.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

namespace scheduling {
struct Entry;
struct State;
}  // namespace scheduling

// Holds what a call may touch; gives it back when it is destroyed. May outlive
// the scheduler.
class Lease {
 public:
  Lease() = default;
  explicit Lease(std::shared_ptr<scheduling::Entry> entry);
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  void release();
  explicit operator bool() const { return entry_ != nullptr; }
  // Others had what it asked for: what was looked at before may have changed.
  bool waited() const { return waited_; }

 private:
  friend class Scheduler;
  std::shared_ptr<scheduling::Entry> entry_;
  bool waited_ = false;
};

class Scheduler {
 public:
  // Beyond this a call is refused: the limit of running calls comes first.
  static constexpr std::size_t kMaxQueued = 4096;

  explicit Scheduler(asio::io_context& loop);

  // Waits until the call may run. `domain` is the physical primary root of
  // the session's workspace; empty overlaps with every domain. A stop while
  // waiting leaves the queue (cancelled, with the reason of the stop).
  Task<Outcome<Lease>> acquire(std::optional<std::vector<Access>> accesses,
                               std::string domain, Stop& stop);

  std::size_t running() const;
  std::size_t queued() const;

 private:
  asio::io_context& loop_;
  std::shared_ptr<scheduling::State> state_;  // shared with every lease
};

}  // namespace toolhost
