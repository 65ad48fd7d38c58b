// Turns: which snapshot a turn was pinned to.
//
// A turnId is the caller's word, so it can only ever cost the caller: pins are
// bounded, and a turn ends after an hour at the latest.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "protocol/clock.hpp"
#include "providers/registry.hpp"

namespace toolhost {

class Turns {
 public:
  // Pins kept; the oldest go first. A turn rarely lasts minutes.
  static constexpr std::size_t kMaxPins = 4000;
  static constexpr std::chrono::hours kLongest{1};

  explicit Turns(const Clock& clock) : clock_(clock) {}

  // The snapshot of this turn: `current` when it is new or has no id.
  SnapshotPtr pin(const std::string& session, const std::string& turn,
                  SnapshotPtr current);
  void end_session(const std::string& session);
  std::size_t size() const { return pins_.size(); }

 private:
  using Key = std::pair<std::string, std::string>;
  struct Pin {
    SnapshotPtr snapshot;
    SteadyTime since;
  };
  const Clock& clock_;
  std::map<Key, Pin> pins_;
  std::deque<Key> order_;
};

}  // namespace toolhost
