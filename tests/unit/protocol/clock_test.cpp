#include "protocol/clock.hpp"

#include <gtest/gtest.h>

namespace toolhost {
namespace {

WallTime at(std::int64_t milliseconds) {
  return WallTime(Milliseconds(milliseconds));
}

TEST(Clock, TimesAreRfc3339InUtcWithMilliseconds) {
  EXPECT_EQ(rfc3339(at(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(at(1709208000999)), "2024-02-29T12:00:00.999Z");
}

TEST(Clock, FinerPartsAreCutOff) {
  EXPECT_EQ(rfc3339(WallTime(std::chrono::duration_cast<WallTime::duration>(
                std::chrono::microseconds(1'999)))),
            "1970-01-01T00:00:00.001Z");
}

TEST(Clock, TimesBefore1970AreTimesToo) {
  EXPECT_EQ(rfc3339(at(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(rfc3339(at(-1000)), "1969-12-31T23:59:59.000Z");
}

TEST(Clock, TheSteadyClockDoesNotGoBack) {
  const Clock clock;
  const SteadyTime first = clock.steady();
  EXPECT_LE(first, clock.steady());
  EXPECT_GT(clock.wall(), at(1'600'000'000'000));
}

}  // namespace
}  // namespace toolhost
