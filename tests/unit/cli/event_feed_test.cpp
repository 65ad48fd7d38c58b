#include "daemon/cli/event_feed.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/unit/cli/fake_daemon.hpp"

namespace toolhost::cli {
namespace {

using testing::FakeDaemon;
using Kind = FeedItem::Kind;

class EventFeedTest : public ::testing::Test {
 protected:
  EventFeedTest() : feed([this] { return dial(); }, {"approvals"}) {}

  Result<Client> dial() {
    auto client = Client::connect(path);
    if (!client) return client.error();
    auto hello = client->initialize({});
    if (!hello) return hello.error();
    return client;
  }
  // Steps until an item of this kind came; fails after a bounded number of
  // waits on the socket.
  FeedItem until(Kind kind) {
    for (int i = 0; i < 100; ++i) {
      for (FeedItem& item : feed.step(now)) came.push_back(std::move(item));
      while (!came.empty()) {
        FeedItem item = std::move(came.front());
        came.pop_front();
        if (item.kind == kind) return item;
      }
      now += EventFeed::kLongestPause;
      if (feed.client()) {
        [[maybe_unused]] const auto read =
            feed.client()->pump(Milliseconds(100));
      }
    }
    ADD_FAILURE() << "it did not come";
    return {};
  }

  FakeDaemon daemon;
  std::string path = daemon.path();
  EventFeed feed;
  SteadyTime now{};
  std::deque<FeedItem> came;
};

TEST_F(EventFeedTest, StartsWithASnapshotAndThenHandsOutEvents) {
  daemon.notify_after(
      "subscribe",
      R"({"method":"approval/requested","params":{"epoch":"e1","seq":8}})");
  EXPECT_EQ(until(Kind::snapshot).params.at("seq"), 7);
  EXPECT_EQ(until(Kind::event).method, "approval/requested");
}

TEST_F(EventFeedTest, ResumesAfterTheLastEventThatItHandedOut) {
  daemon.notify_after("subscribe",
                      R"({"method":"x/y","params":{"epoch":"e1","seq":9}})");
  until(Kind::event);
  daemon.drop_connections();
  until(Kind::lost);
  EXPECT_FALSE(feed.connected());
  until(Kind::snapshot);
  const auto seen = daemon.seen("subscribe");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_FALSE(seen[0].contains("since"));
  EXPECT_EQ(seen[1].at("since").at("epoch"), "e1");
  EXPECT_EQ(seen[1].at("since").at("seq"), 9);
}

TEST_F(EventFeedTest, AnOverflowIsAnsweredBySubscribingAgain) {
  daemon.notify_after("subscribe",
                      R"({"method":"stream/overflow","params":{"lastSeq":7}})");
  until(Kind::snapshot);
  until(Kind::snapshot);
  EXPECT_GE(daemon.seen("subscribe").size(), 2U);
}

TEST_F(EventFeedTest, WaitsLongerAfterEachFailureUpToALimit) {
  path = "/nonexistent/toolhost.sock";
  Milliseconds last{0};
  for (int i = 0; i < 10; ++i) {
    const auto items = feed.step(now);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].kind, Kind::lost);
    EXPECT_GE(feed.pause(now), last);
    last = feed.pause(now);
    EXPECT_TRUE(feed.step(now).empty());
    now += last;
  }
  EXPECT_EQ(last, EventFeed::kLongestPause);
}

}  // namespace
}  // namespace toolhost::cli
