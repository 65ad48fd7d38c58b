#include "daemon/outbox.hpp"

#include <gtest/gtest.h>

namespace toolhost {
namespace {

std::string joined(const Outbox& outbox) {
  std::string out;
  for (const auto bytes : outbox.front(1000)) out += bytes;
  return out;
}

TEST(Outbox, KeepsRepliesAndEventsInTheOrderTheyCame) {
  Outbox outbox(10, 1000);
  outbox.push(FrameClass::reply, "a");
  outbox.push(FrameClass::event, "b");
  outbox.push(FrameClass::reply, "c");
  EXPECT_EQ(joined(outbox), "abc");
  EXPECT_EQ(outbox.frames(), 3U);
  EXPECT_EQ(outbox.bytes(), 3U);
}

TEST(Outbox, RefusesAnEventThatDoesNotFitButNeverAReply) {
  Outbox outbox(2, 1000);
  outbox.push(FrameClass::event, "a");
  outbox.push(FrameClass::event, "b");
  EXPECT_EQ(outbox.push(FrameClass::event, "c"), Outbox::Push::full);
  EXPECT_EQ(outbox.push(FrameClass::reply, "d"), Outbox::Push::queued);
  EXPECT_EQ(joined(outbox), "abd");
}

TEST(Outbox, CountsBytesAsWellAsFrames) {
  Outbox outbox(100, 10);
  outbox.push(FrameClass::event, std::string(8, 'a'));
  EXPECT_EQ(outbox.push(FrameClass::event, "abc"), Outbox::Push::full);
  EXPECT_EQ(outbox.push(FrameClass::event, "ab"), Outbox::Push::queued);
}

TEST(Outbox, TakesAnEventLargerThanTheLimitWhenNothingWaits) {
  Outbox outbox(100, 10);
  EXPECT_EQ(outbox.push(FrameClass::event, std::string(50, 'a')),
            Outbox::Push::queued);
}

TEST(Outbox, KeepsOnlyTheLatestProgressOfACall) {
  Outbox outbox(10, 1000);
  outbox.push(FrameClass::progress, "one", "call_a");
  outbox.push(FrameClass::progress, "other", "call_b");
  EXPECT_EQ(outbox.push(FrameClass::progress, "three", "call_a"),
            Outbox::Push::replaced);
  EXPECT_EQ(joined(outbox), "threeother");
  EXPECT_EQ(outbox.bytes(), 10U);
}

TEST(Outbox, DoesNotReplaceProgressThatHasLeftInPart) {
  Outbox outbox(10, 1000);
  outbox.push(FrameClass::progress, "abc", "call_a");
  outbox.consume(1);
  EXPECT_EQ(outbox.push(FrameClass::progress, "XYZ", "call_a"),
            Outbox::Push::queued);
  EXPECT_EQ(joined(outbox), "bcXYZ");
}

TEST(Outbox, DropsOutputAboveThreeQuarters) {
  Outbox outbox(8, 1000);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(outbox.push(FrameClass::output, "o"), Outbox::Push::queued);
  }
  outbox.push(FrameClass::reply, "r");
  EXPECT_TRUE(outbox.slow());
  EXPECT_EQ(outbox.push(FrameClass::output, "o"), Outbox::Push::dropped);
  EXPECT_EQ(outbox.push(FrameClass::event, "e"), Outbox::Push::queued);
}

TEST(Outbox, IsSlowAboveThreeQuartersUntilBelowThreeEighths) {
  Outbox outbox(8, 1000);
  for (int i = 0; i < 6; ++i) outbox.push(FrameClass::reply, "r");
  EXPECT_FALSE(outbox.slow());
  outbox.push(FrameClass::reply, "r");
  EXPECT_TRUE(outbox.slow());
  outbox.consume(3);
  EXPECT_TRUE(outbox.slow());
  outbox.consume(1);
  EXPECT_FALSE(outbox.slow());
}

TEST(Outbox, KeepsASharedEndOnceAndCountsItForEachReader) {
  const auto rest = std::make_shared<const std::string>("-rest");
  Outbox one(10, 1000);
  Outbox other(10, 1000);
  one.push(FrameClass::event, "a", {}, rest);
  other.push(FrameClass::event, "b", {}, rest);
  EXPECT_EQ(joined(one), "a-rest");
  EXPECT_EQ(joined(other), "b-rest");
  EXPECT_EQ(one.bytes(), 6U);
  EXPECT_EQ(rest.use_count(), 3);
  // The cut may be in either part.
  one.consume(1);
  EXPECT_EQ(joined(one), "-rest");
  one.consume(2);
  EXPECT_EQ(joined(one), "est");
  one.consume(3);
  EXPECT_TRUE(one.empty());
  EXPECT_EQ(rest.use_count(), 2);
}

TEST(Outbox, ConsumesAcrossFramesAndInTheMiddleOfOne) {
  Outbox outbox(10, 1000);
  outbox.push(FrameClass::reply, "abc");
  outbox.push(FrameClass::reply, "def");
  outbox.consume(4);
  EXPECT_EQ(joined(outbox), "ef");
  EXPECT_EQ(outbox.frames(), 1U);
  outbox.consume(2);
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(outbox.bytes(), 0U);
}

}  // namespace
}  // namespace toolhost
