#include "daemon/connection.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_fixture.hpp"

namespace toolhost {
namespace {

using testing::DaemonFixture;
using testing::RawClient;

std::string kind(const json::object& message) {
  const json::object& error =
      message.contains("error") ? message.at("error").as_object() : message;
  return std::string(error.at("data").at("kind").as_string());
}

const Connection& only_connection(DaemonFixture& fixture) {
  return **fixture.daemon->server.connections().begin();
}

TEST(Connection, AnswersPingBeforeInitialize) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  client.send(R"({"jsonrpc":"2.0","id":"a","method":"ping"})"
              "\n");
  const json::object reply = client.receive();
  EXPECT_EQ(reply.at("id"), json::value("a"));
  EXPECT_EQ(reply.at("result").at("epoch"),
            json::value(fixture.daemon->events.epoch()));
}

TEST(Connection, AnswersManyRequestsOfOneWriteInOrder) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  std::string all;
  for (int i = 0; i < 500; ++i) {
    all += R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
           R"(,"method":"ping","params":{}})" + '\n';
  }
  client.send(all);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(client.receive().at("id"), json::value(i));
  }
}

TEST(Connection, ReadsARequestThatComesByteByByte) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  const std::string line = R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
                           "\n";
  for (const char byte : line) {
    client.send(std::string_view(&byte, 1));
    fixture.turn();
  }
  EXPECT_TRUE(client.receive().contains("result"));
}

TEST(Connection, SpeaksHeaderFramingWhenTheFirstByteAsksForIt) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  client.send("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
              body);
  std::string got;
  fixture.run_until([&] {
    char buffer[4096];
    const ssize_t count = recv(client.fd(), buffer, sizeof buffer, 0);
    if (count > 0) got.append(buffer, static_cast<std::size_t>(count));
    return got.ends_with("}}");
  });
  const std::size_t end = got.find("\r\n\r\n");
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(got.substr(0, end),
            "Content-Length: " + std::to_string(got.size() - end - 4));
}

TEST(Connection, LivesOnAfterALineThatIsNoJson) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  client.send("{nonsense\n");
  const json::object reply = client.receive();
  EXPECT_TRUE(reply.at("id").is_null());
  EXPECT_EQ(kind(reply), "parseError");
  EXPECT_TRUE(client.request("ping").contains("result"));
}

TEST(Connection, TellsAnHttpClientOnceAndCloses) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  client.send("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n{}");
  EXPECT_EQ(kind(client.receive()), "parseError");
  EXPECT_TRUE(client.at_end());
}

TEST(Connection, ClosesAfterAFrameOverTheLimit) {
  config::Config config;
  config.limits.frame_bytes = 64 * 1024;
  DaemonFixture fixture(config);
  RawClient client = fixture.connect();
  client.send("{\"a\":\"" + std::string(70 * 1024, 'x'));
  const json::object reply = client.receive();
  EXPECT_EQ(kind(reply), "frameTooLarge");
  EXPECT_EQ(reply.at("error").at("data").at("details").at("maxFrameBytes"),
            json::value(64 * 1024));
  EXPECT_TRUE(client.at_end());
}

TEST(Connection, RefusesEverythingBeforeInitializeButTheFrozenCore) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  EXPECT_EQ(kind(client.error("listTools")), "notInitialized");
  EXPECT_EQ(kind(client.error("noSuchMethod")), "notInitialized");
  EXPECT_TRUE(client.request("status").contains("result"));
}

TEST(Connection, NamesASimilarMethod) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  const json::object error = client.error("listTool");
  EXPECT_EQ(kind(error), "methodNotFound");
  EXPECT_EQ(error.at("data").at("details").at("similar").at(0),
            json::value("listTools"));
}

TEST(Connection, RefusesAMethodOfAnotherRole) {
  DaemonFixture fixture;
  RawClient client = fixture.client(SocketKind::caller);
  EXPECT_EQ(kind(client.error("shutdown")), "forbidden");
  EXPECT_FALSE(fixture.daemon->stop_requested.ready());
}

TEST(Connection, RefusesShutdownOnTheCallerSocketBeforeInitialize) {
  DaemonFixture fixture;
  RawClient client = fixture.connect(SocketKind::caller);
  EXPECT_EQ(kind(client.error("shutdown")), "forbidden");
}

TEST(Connection, IgnoresNotificationsItDoesNotKnow) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  client.send(R"({"jsonrpc":"2.0","method":"notifications/x"})"
              "\n");
  client.send(R"({"jsonrpc":"2.0","method":"$/cancelRequest"})"
              "\n");
  client.send(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":)"
              R"({"id":77}})"
              "\n");
  EXPECT_TRUE(client.request("ping").contains("result"));
}

TEST(Connection, StopsReadingAPeerThatDoesNotFetchItsReplies) {
  config::Config config;
  config.limits.outbox_frames = 64;
  DaemonFixture fixture(config);
  RawClient client = fixture.client();
  const std::string line = R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
                           "\n";
  std::size_t sent = 0;
  // Until the daemon reads no more and the socket between is full.
  int idle = 0;
  while (idle < 20 && sent < 100'000) {
    const ssize_t count =
        send(client.fd(), line.data(), line.size(), MSG_DONTWAIT);
    if (count == static_cast<ssize_t>(line.size())) {
      ++sent;
      continue;
    }
    ASSERT_LT(count, 0);
    fixture.turn();
    idle = only_connection(fixture).outbox().slow() ? idle + 1 : 0;
  }
  ASSERT_LT(sent, 100'000U);
  EXPECT_TRUE(only_connection(fixture).outbox().slow());
  EXPECT_LE(only_connection(fixture).outbox().frames(), 65U);
  for (std::size_t i = 0; i < sent; ++i) client.receive();
  EXPECT_TRUE(client.request("ping").contains("result"));
}

TEST(Connection, DoesNotLetAStalledPeerDelayAnother) {
  DaemonFixture fixture;
  RawClient stalled = fixture.client();
  RawClient other = fixture.client();
  const std::string line = R"({"jsonrpc":"2.0","id":1,"method":"status"})"
                           "\n";
  for (int i = 0; i < 100'000; ++i) {
    if (send(stalled.fd(), line.data(), line.size(), MSG_DONTWAIT) < 0) break;
  }
  EXPECT_TRUE(other.request("ping").contains("result"));
}

TEST(Connection, IsCutWhenTwoMaximalFramesWaitForThePeer) {
  config::Config config;
  config.limits.frame_bytes = 64 * 1024;
  DaemonFixture fixture(config);
  RawClient hoarder = fixture.client();
  const auto connection = *fixture.daemon->server.connections().begin();
  RawClient other = fixture.client();
  const std::string reply = "\"" + std::string(60 * 1024, 'x') + "\"";
  int sent = 0;
  while (connection->open() && sent < 1000) {
    connection->send(FrameClass::reply, reply);
    ++sent;
  }
  EXPECT_LT(sent, 1000);
  fixture.run_until(
      [&] { return fixture.daemon->server.connections().size() == 1; });
  EXPECT_TRUE(other.request("ping").contains("result"));
}

TEST(Connection, AnswersAPeerThatHasClosedItsSendingSide) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  const auto id = client.start("subscribe", json::object());
  client.close_sending();
  EXPECT_EQ(kind(client.reply(id)), "invalidParams");
  EXPECT_TRUE(client.at_end());
  fixture.run_until(
      [&] { return fixture.daemon->server.connections().empty(); });
}

TEST(Connection, SurvivesPeersThatVanishRightAfterTheirRequest) {
  DaemonFixture fixture;
  for (int i = 0; i < 200; ++i) {
    RawClient client = fixture.connect();
    client.send(R"({"jsonrpc":"2.0","id":1,"method":"status"})"
                "\n");
    client.close();
  }
  RawClient last = fixture.client();
  EXPECT_TRUE(last.request("ping").contains("result"));
  fixture.run_until(
      [&] { return fixture.daemon->server.connections().size() == 1; });
}

TEST(Connection, IsTakenFromTheListWhenThePeerHangsUp) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  EXPECT_EQ(fixture.daemon->server.connections().size(), 1U);
  client.close();
  fixture.run_until(
      [&] { return fixture.daemon->server.connections().empty(); });
}

}  // namespace
}  // namespace toolhost
