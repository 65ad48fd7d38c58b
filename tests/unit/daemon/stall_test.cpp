// A peer that fetches nothing is cut after a while; a slow one is not.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "daemon/connection.hpp"
#include "tests/support/daemon_fixture.hpp"

namespace toolhost {
namespace {

using std::chrono::steady_clock;
using testing::DaemonFixture;
using testing::RawClient;

// More than a socket between two processes holds.
constexpr std::size_t kLargeFrame = 4U << 20;

std::string large_frame() {
  return "{\"a\":\"" + std::string(kLargeFrame, 'x') + "\"}";
}

std::shared_ptr<Connection> only_connection(DaemonFixture& fixture) {
  return *fixture.daemon->server.connections().begin();
}

// The bytes that are there now; 0 when there are none.
std::size_t take(const RawClient& client) {
  std::vector<char> room(128U << 10);
  const ssize_t got = recv(client.fd(), room.data(), room.size(), MSG_DONTWAIT);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

TEST(Stall, APeerThatTakesHalfAFrameAndNoMoreIsCut) {
  DaemonFixture fixture;
  fixture.daemon->server.stall_limit = Milliseconds(50);
  RawClient deaf = fixture.client();
  const auto connection = only_connection(fixture);
  RawClient other = fixture.client();
  connection->send(FrameClass::reply, large_frame());
  EXPECT_TRUE(connection->open());
  fixture.run_until(
      [&] { return fixture.daemon->server.connections().size() == 1; });
  EXPECT_FALSE(connection->open());
  std::size_t got = 0;
  for (std::size_t more = take(deaf); more > 0; more = take(deaf)) got += more;
  EXPECT_GT(got, 0U);
  EXPECT_LT(got, kLargeFrame);
  EXPECT_TRUE(deaf.at_end());
  EXPECT_TRUE(other.request("ping").contains("result"));
}

TEST(Stall, APeerThatTakesSomethingInEveryPeriodGetsTheWholeFrame) {
  DaemonFixture fixture;
  constexpr Milliseconds kLimit(500);
  fixture.daemon->server.stall_limit = kLimit;
  RawClient slow = fixture.client();
  const auto begin = steady_clock::now();
  only_connection(fixture)->send(FrameClass::reply, large_frame());
  auto next = begin;
  std::size_t got = 0;
  fixture.run_until([&] {
    if (steady_clock::now() < next) return false;
    got += take(slow);
    next = steady_clock::now() + Milliseconds(30);
    return got > kLargeFrame;
  });
  // It took longer than a silent peer would have been given.
  EXPECT_GT(steady_clock::now() - begin, kLimit);
  EXPECT_TRUE(slow.request("ping").contains("result"));
}

TEST(Stall, HalfAFrameFromThePeerIsWaitedForHoweverLong) {
  DaemonFixture fixture;
  fixture.daemon->server.stall_limit = Milliseconds(10);
  RawClient slow = fixture.connect();
  slow.send(R"({"jsonrpc":"2.0","id":1,)");
  const auto end = steady_clock::now() + Milliseconds(100);
  fixture.run_until([&] { return steady_clock::now() > end; });
  slow.send("\"method\":\"ping\"}\n");
  EXPECT_TRUE(slow.receive().contains("result"));
}

}  // namespace
}  // namespace toolhost
