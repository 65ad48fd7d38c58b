// Clock: the one place where time comes from, so that tests can hold it still.
#pragma once

#include <chrono>
#include <string>

namespace toolhost {

using Milliseconds = std::chrono::milliseconds;
// CLOCK_MONOTONIC: limits of work. Stands still while the machine sleeps.
using SteadyTime = std::chrono::steady_clock::time_point;
// Only for people and records, never for a deadline.
using WallTime = std::chrono::system_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime steady() const { return std::chrono::steady_clock::now(); }
  virtual WallTime wall() const { return std::chrono::system_clock::now(); }
};

// RFC 3339, UTC, milliseconds: 2026-01-31T23:59:59.999Z.
std::string rfc3339(WallTime time);

}  // namespace toolhost
