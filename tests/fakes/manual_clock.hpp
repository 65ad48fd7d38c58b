// ManualClock: time that passes when a test says so.
#pragma once

#include "protocol/clock.hpp"

namespace toolhost::testing {

class ManualClock : public Clock {
 public:
  SteadyTime steady() const override { return steady_; }
  WallTime wall() const override { return wall_; }
  void pass(Milliseconds time) {
    steady_ += time;
    wall_ += time;
  }

 private:
  // Starts at now, so that timers of the loop fit.
  SteadyTime steady_ = std::chrono::steady_clock::now();
  WallTime wall_ = WallTime(std::chrono::seconds(1'800'000'000));
};

}  // namespace toolhost::testing
