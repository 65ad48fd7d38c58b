#include "daemon/event_stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_fixture.hpp"

namespace toolhost {
namespace {

using testing::DaemonFixture;
using testing::RawClient;

Event tools_changed(int number) {
  Event event;
  event.topic = Topic::tools;
  event.method = "tools/changed";
  event.body["number"] = number;
  return event;
}

Event call_event(const std::string& method, const std::string& session) {
  Event event;
  event.topic = Topic::calls;
  event.method = method;
  event.session = session;
  event.call = "call_" + session;
  event.body["callId"] = event.call;
  return event;
}

json::object topics(std::initializer_list<std::string_view> names) {
  json::object out;
  json::array& list = out["topics"].emplace_array();
  for (const auto name : names) list.emplace_back(name);
  return out;
}

json::object since(json::object params, const std::string& epoch,
                   std::uint64_t seq) {
  json::object& cursor = params["since"].emplace_object();
  cursor["epoch"] = epoch;
  cursor["seq"] = seq;
  return params;
}

const json::object& params_of(const json::object& event) {
  return event.at("params").as_object();
}

TEST(EventStream, TellsEveryMatchingEventAfterTheReplyOnceAndInOrder) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  fixture.daemon->events.publish(tools_changed(0));
  const json::object result = client.result("subscribe", topics({"tools"}));
  EXPECT_EQ(result.at("seq"), json::value(fixture.daemon->events.seq()));
  EXPECT_EQ(result.at("resumed"), json::value(false));
  for (int i = 1; i <= 3; ++i) fixture.daemon->events.publish(tools_changed(i));
  json::value prev = result.at("seq");
  for (int i = 1; i <= 3; ++i) {
    const json::object event = client.event("tools/changed");
    const json::object& params = params_of(event);
    EXPECT_EQ(params.at("number"), json::value(i));
    EXPECT_EQ(params.at("prev"), prev);
    EXPECT_EQ(params.at("epoch"), result.at("epoch"));
    EXPECT_EQ(params.at("subscriptionId"), result.at("subscriptionId"));
    EXPECT_TRUE(params.contains("time"));
    prev = params.at("seq");
  }
}

TEST(EventStream, ChainsPrevOverTheEventsOfThisSubscriptionOnly) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  const json::object result = client.result("subscribe", topics({"tools"}));
  auto& events = fixture.daemon->events;
  events.publish(call_event("call/started", "s"));
  events.publish(tools_changed(1));
  events.publish(call_event("call/completed", "s"));
  events.publish(tools_changed(2));
  const json::object first = client.event("tools/changed");
  const json::object second = client.event("tools/changed");
  EXPECT_EQ(params_of(first).at("prev"), result.at("seq"));
  EXPECT_EQ(params_of(second).at("prev"), params_of(first).at("seq"));
}

TEST(EventStream, ReplaysWhatWasMissedAndThenSaysLive) {
  DaemonFixture fixture;
  auto& events = fixture.daemon->events;
  RawClient client = fixture.client();
  events.publish(tools_changed(1));
  const std::uint64_t seen = events.seq();
  events.publish(tools_changed(2));
  events.publish(tools_changed(3));
  const json::object result = client.result(
      "subscribe", since(topics({"tools"}), events.epoch(), seen));
  EXPECT_EQ(result.at("resumed"), json::value(true));
  EXPECT_FALSE(result.contains("snapshot"));
  const json::object first = client.receive();
  EXPECT_EQ(params_of(first).at("number"), json::value(2));
  EXPECT_EQ(params_of(first).at("prev"), json::value(seen));
  EXPECT_EQ(params_of(client.receive()).at("number"), json::value(3));
  const json::object live = client.receive();
  EXPECT_EQ(live.at("method"), json::value("stream/live"));
  EXPECT_FALSE(params_of(live).contains("seq"));
}

TEST(EventStream, ReplaysMoreThanAnOutboxHoldsWithoutLosingAny) {
  config::Config config;
  config.limits.outbox_frames = 64;
  DaemonFixture fixture(config);
  auto& events = fixture.daemon->events;
  constexpr int kEvents = 4000;
  for (int i = 0; i < kEvents; ++i) events.publish(tools_changed(i));
  RawClient client = fixture.client();
  client.result("subscribe", since(topics({"tools"}), events.epoch(), 0));
  for (int i = 0; i < kEvents; ++i) {
    const json::object event = client.receive();
    ASSERT_EQ(params_of(event).at("number"), json::value(i));
    // The reader is slow, and new events arrive while it catches up.
    if (i % 100 == 0) fixture.turn();
  }
  EXPECT_EQ(client.receive().at("method"), json::value("stream/live"));
}

TEST(EventStream, NamesTheGapAndSendsASnapshot) {
  config::Config config;
  config.limits.ring_events = 4;
  DaemonFixture fixture(config);
  auto& events = fixture.daemon->events;
  for (int i = 0; i < 10; ++i) events.publish(tools_changed(i));
  RawClient client = fixture.client();
  const auto reason = [&](const std::string& epoch, std::uint64_t seq) {
    const json::object result = client.result(
        "subscribe", since(topics({"approvals", "calls"}), epoch, seq));
    EXPECT_EQ(result.at("resumed"), json::value(false));
    EXPECT_TRUE(result.at("snapshot").as_object().contains("approvals"));
    EXPECT_TRUE(result.at("snapshot").as_object().contains("calls"));
    return std::string(result.at("gap").at("reason").as_string());
  };
  EXPECT_EQ(reason(events.epoch(), 1), "evicted");
  EXPECT_EQ(reason("another", events.seq()), "epochChanged");
  EXPECT_EQ(reason(events.epoch(), events.seq() + 1), "ahead");
}

TEST(EventStream, ResumesAtTheOldestEventOfTheRing) {
  config::Config config;
  config.limits.ring_events = 4;
  DaemonFixture fixture(config);
  auto& events = fixture.daemon->events;
  for (int i = 0; i < 10; ++i) events.publish(tools_changed(i));
  RawClient client = fixture.client();
  const json::object result = client.result(
      "subscribe", since(topics({"tools"}), events.epoch(), events.seq() - 4));
  EXPECT_EQ(result.at("resumed"), json::value(true));
  EXPECT_EQ(params_of(client.receive()).at("number"), json::value(6));
}

TEST(EventStream, BoundsTheRingByBytes) {
  config::Config config;
  config.limits.ring_bytes = 1000;
  DaemonFixture fixture(config);
  auto& events = fixture.daemon->events;
  Event large = tools_changed(1);
  large.body["text"] = std::string(900, 'x');
  events.publish(std::move(large));
  const std::uint64_t seen = events.seq() - 1;
  for (int i = 0; i < 5; ++i) events.publish(tools_changed(i));
  RawClient client = fixture.client();
  const json::object result = client.result(
      "subscribe", since(topics({"tools"}), events.epoch(), seen));
  EXPECT_EQ(result.at("gap").at("reason"), json::value("evicted"));
}

TEST(EventStream, EndsOnlyTheSubscriptionOfAReaderThatFallsBehind) {
  config::Config config;
  config.limits.outbox_frames = 16;
  DaemonFixture fixture(config);
  auto& events = fixture.daemon->events;
  RawClient slow = fixture.client();
  RawClient quick = fixture.client();
  slow.result("subscribe", topics({"tools"}));
  quick.result("subscribe", topics({"server"}));
  int published = 0;
  while (events.subscriptions() == 2) {
    Event event = tools_changed(published++);
    event.body["text"] = std::string(10'000, 'x');
    events.publish(std::move(event));
    ASSERT_LT(published, 1000);
  }
  Event stopping;
  stopping.topic = Topic::server;
  stopping.method = "server/stopping";
  events.publish(std::move(stopping));
  EXPECT_EQ(quick.event("server/stopping").at("method"),
            json::value("server/stopping"));

  // The slow one reads on: a warning, a whole prefix, the end with a cursor.
  std::int64_t last = 0;
  int warnings = 0;
  for (;;) {
    const json::object message = slow.receive();
    const auto& method = message.at("method").as_string();
    if (method == "stream/slow") ++warnings;
    if (method == "tools/changed")
      last = params_of(message).at("seq").as_int64();
    if (method == "stream/overflow") {
      EXPECT_EQ(params_of(message).at("lastSeq"), json::value(last));
      break;
    }
  }
  EXPECT_EQ(warnings, 1);
  const json::object resumed =
      slow.result("subscribe", since(topics({"tools"}), events.epoch(),
                                     static_cast<std::uint64_t>(last)));
  EXPECT_EQ(resumed.at("resumed"), json::value(true));
}

TEST(EventStream, KeepsProgressAndOutputOutOfTheRingAndTheChain) {
  DaemonFixture fixture;
  auto& events = fixture.daemon->events;
  RawClient client = fixture.client();
  client.result("subscribe", topics({"calls", "output"}));
  const std::uint64_t before = events.seq();
  events.publish(call_event("call/progress", "s"));
  Event output = call_event("call/output", "s");
  output.topic = Topic::output;
  events.publish(std::move(output));
  EXPECT_EQ(events.seq(), before);
  EXPECT_FALSE(params_of(client.event("call/progress")).contains("seq"));
  EXPECT_FALSE(params_of(client.event("call/output")).contains("seq"));
}

TEST(EventStream, ShowsAMereCallerOnlyItsOwnSessions) {
  DaemonFixture fixture;
  auto& events = fixture.daemon->events;
  RawClient agent = fixture.client(SocketKind::caller);
  agent.result("subscribe", topics({"calls", "tools", "config"}));
  agent.event("stream/live");
  const auto& connection = *fixture.daemon->server.connections().begin();
  connection->sessions.insert("mine");
  events.publish(call_event("call/started", "theirs"));
  Event reloaded;
  reloaded.topic = Topic::config;
  reloaded.method = "config/reloaded";
  events.publish(std::move(reloaded));
  events.publish(call_event("call/started", "mine"));
  events.publish(tools_changed(1));
  EXPECT_EQ(params_of(agent.receive()).at("callId"), json::value("call_mine"));
  EXPECT_EQ(agent.receive().at("method"), json::value("tools/changed"));
}

TEST(EventStream, FiltersByCallAndWorkspace) {
  DaemonFixture fixture;
  auto& events = fixture.daemon->events;
  RawClient client = fixture.client();
  json::object by_call = topics({"calls"});
  by_call["filter"].emplace_object()["callIds"].emplace_array().emplace_back(
      "call_b");
  json::object by_workspace = topics({"calls"});
  by_workspace["filter"].emplace_object()["workspace"] = "/w";
  const json::object one = client.result("subscribe", by_call);
  const json::object two = client.result("subscribe", by_workspace);
  events.publish(call_event("call/started", "a"));
  events.publish(call_event("call/started", "b"));
  Event there = call_event("call/started", "c");
  there.workspace = "/w";
  events.publish(std::move(there));
  client.event("stream/live");
  client.event("stream/live");
  const json::object first = client.event("call/started");
  EXPECT_EQ(params_of(first).at("callId"), json::value("call_b"));
  EXPECT_EQ(params_of(first).at("subscriptionId"), one.at("subscriptionId"));
  const json::object second = client.event("call/started");
  EXPECT_EQ(params_of(second).at("callId"), json::value("call_c"));
  EXPECT_EQ(params_of(second).at("subscriptionId"), two.at("subscriptionId"));
}

TEST(EventStream, IsSilentAfterUnsubscribe) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  const json::object made = client.result("subscribe", topics({"tools"}));
  json::object end;
  end["subscriptionId"] = made.at("subscriptionId");
  client.result("unsubscribe", end);
  fixture.daemon->events.publish(tools_changed(1));
  client.events.clear();
  client.result("ping");
  EXPECT_TRUE(client.events.empty());
  const json::object again = client.error("unsubscribe", end);
  EXPECT_EQ(again.at("data").at("kind"), json::value("subscriptionNotFound"));
}

TEST(EventStream, ForgetsTheSubscriptionsOfAConnectionThatEnds) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  client.result("subscribe", topics({"tools"}));
  EXPECT_EQ(fixture.daemon->events.subscriptions(), 1U);
  client.close();
  fixture.run_until(
      [&] { return fixture.daemon->events.subscriptions() == 0; });
}

TEST(EventStream, TellsTheExecutingConnectionWithoutASubscription) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  const auto& connection = *fixture.daemon->server.connections().begin();
  fixture.daemon->events.tell(*connection, call_event("call/progress", "s"));
  const json::object event = client.receive();
  EXPECT_EQ(event.at("method"), json::value("call/progress"));
  EXPECT_FALSE(params_of(event).contains("subscriptionId"));
}

TEST(EventStream, RefusesTopicsThatDoNotExist) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  const json::object error = client.error("subscribe", topics({"weather"}));
  EXPECT_EQ(error.at("data").at("kind"), json::value("invalidParams"));
  EXPECT_NE(json_text(error).find("approvals"), std::string::npos);
}

}  // namespace
}  // namespace toolhost
