#include "protocol/client.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "protocol/json_text.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/cli/fake_daemon.hpp"

namespace toolhost {
namespace {

using testing::FakeDaemon;

// A client and the other end of its socket, driven by hand.
struct Pair {
  Pair() : Pair(make()) {}
  ~Pair() {
    if (peer >= 0) ::close(peer);
  }
  void send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(peer, text.data(), text.size(), MSG_NOSIGNAL);
      ASSERT_GT(sent, 0);
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void hang_up() {
    ::close(peer);
    peer = -1;
  }
  Client client;
  int peer;

 private:
  explicit Pair(std::array<int, 2> fds)
      : client(fds[0], "the pair"), peer(fds[1]) {}
  static std::array<int, 2> make() {
    std::array<int, 2> fds{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
      throw std::runtime_error("socketpair");
    }
    return fds;
  }
};

TEST(Client, NamesPathFolderErrnoAndNextCommandWhenNothingIsThere) {
  testing::TempDir dir;
  const auto client = Client::connect(dir / "none/toolhost.sock");
  ASSERT_FALSE(client);
  EXPECT_EQ(client_fault(client.error()), ClientFault::unreachable);
  const std::string& text = client.error().message;
  EXPECT_NE(text.find(dir / "none/toolhost.sock"), std::string::npos);
  EXPECT_NE(text.find("No such file"), std::string::npos);
  EXPECT_NE(text.find("does not exist"), std::string::npos);
  EXPECT_NE(client.error().hint.find("toolhost doctor"), std::string::npos);
}

TEST(Client, TellsALeftOverSocketFromNone) {
  testing::TempDir dir;
  const std::string path = dir / "toolhost.sock";
  {
    const FakeDaemon daemon;
    std::filesystem::rename(daemon.path(), path);
  }
  const auto client = Client::connect(path);
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().message.find("owner"), std::string::npos);
  EXPECT_NE(client.error().hint.find("Nothing listens"), std::string::npos);
}

TEST(Client, RefusesAPathThatDoesNotFitIntoASocketAddress) {
  const auto client = Client::connect("/tmp/" + std::string(200, 'x'));
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().hint.find("205 bytes"), std::string::npos);
}

TEST(Client, InitialisesAndCalls) {
  FakeDaemon daemon;
  daemon.on("ping", [](const json::object&) -> Result<json::object> {
    json::object out;
    out["uptimeMs"] = 5;
    return out;
  });
  auto client = Client::connect(daemon.path());
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->initialize({}));
  EXPECT_EQ(client->connection_id(), "conn_fake");
  auto pong = client->call("ping", {});
  ASSERT_TRUE(pong);
  EXPECT_EQ(pong->at("uptimeMs"), 5);
}

TEST(Client, GivesTheDaemonsErrorWithKindHintAndDetails) {
  Pair pair;
  auto id = pair.client.send("approve", {});
  ASSERT_TRUE(id);
  pair.send(R"({"jsonrpc":"2.0","id":1,"error":{"code":1007,"message":"busy",)"
            R"("data":{"kind":"overloaded","retryable":true,"hint":"wait",)"
            R"("retryAfterMs":20,"details":{"a":1}}}})"
            "\n");
  const auto reply = pair.client.wait(*id);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::overloaded);
  EXPECT_EQ(client_fault(reply.error()), ClientFault::none);
  EXPECT_EQ(reply.error().hint, "wait");
  EXPECT_EQ(reply.error().details.at("retryAfterMs"), 20);
  EXPECT_EQ(reply.error().details.at("a"), 1);
}

TEST(Client, KeepsTheNameOfAKindThatItDoesNotKnow) {
  Pair pair;
  auto id = pair.client.send("x", {});
  pair.send(
      R"({"id":1,"error":{"code":9,"message":"m","data":{"kind":"newKind"}}})"
      "\n");
  const auto reply = pair.client.wait(*id);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().details.at("kind"), "newKind");
}

TEST(Client, TakesRepliesInAnyOrder) {
  Pair pair;
  auto first = pair.client.send("a", {});
  auto second = pair.client.send("b", {});
  pair.send(
      "{\"id\":2,\"result\":{\"n\":2}}\n{\"id\":1,\"result\":{\"n\":1}}\n");
  EXPECT_EQ(pair.client.wait(*first)->at("n"), 1);
  EXPECT_EQ(pair.client.wait(*second)->at("n"), 2);
}

TEST(Client, AReplyAfterTheLimitIsDropped) {
  Pair pair;
  const auto late = pair.client.call("a", {}, Milliseconds(1));
  ASSERT_FALSE(late);
  EXPECT_EQ(client_fault(late.error()), ClientFault::timed_out);
  auto second = pair.client.send("b", {});
  pair.send("{\"id\":1,\"result\":{}}\n{\"id\":2,\"result\":{\"n\":2}}\n");
  EXPECT_EQ(pair.client.wait(*second)->at("n"), 2);
  EXPECT_FALSE(pair.client.take(1));
}

TEST(Client, DeliversAReplyThatCameBeforeTheHangUp) {
  Pair pair;
  auto id = pair.client.send("a", {});
  pair.send("{\"id\":1,\"result\":{\"n\":1}}\n");
  pair.hang_up();
  EXPECT_EQ(pair.client.wait(*id)->at("n"), 1);
  const auto next = pair.client.next_notification(Milliseconds(1000));
  ASSERT_FALSE(next);
  EXPECT_EQ(client_fault(next.error()), ClientFault::closed);
}

TEST(Client, WritingToAPeerThatIsGoneIsAnErrorAndNoSignal) {
  Pair pair;
  pair.hang_up();
  const auto reply = pair.client.call("a", {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(client_fault(reply.error()), ClientFault::closed);
}

TEST(Client, ReportsWhyTheDaemonRefusedTheConnection) {
  Pair pair;
  pair.send(R"({"id":null,"error":{"code":1005,"message":"no","data":)"
            R"({"kind":"unauthorized"}}})"
            "\n");
  pair.hang_up();
  const auto reply = pair.client.call("ping", {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::unauthorized);
}

TEST(Client, QueuesNotificationsAndFindsOneByMethod) {
  Pair pair;
  pair.send(
      "{\"method\":\"call/started\",\"params\":{\"seq\":1}}\n"
      "{\"method\":\"approval/requested\",\"params\":{\"seq\":2}}\n");
  auto wanted = pair.client.next_notification("approval/requested");
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->params.at("seq"), 2);
  auto rest = pair.client.next_notification();
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->method, "call/started");
}

TEST(Client, DropsTheOldestNotificationsOverTheLimitAndCountsThem) {
  Pair pair;
  std::thread sender([&] {
    std::string all;
    for (std::size_t i = 0; i < Client::kMaxNotifications + 10; ++i) {
      all +=
          "{\"method\":\"m\",\"params\":{\"n\":" + std::to_string(i) + "}}\n";
    }
    pair.send(all + "{\"id\":1,\"result\":{}}\n");
  });
  ASSERT_TRUE(pair.client.call("a", {}));
  sender.join();
  EXPECT_EQ(pair.client.dropped_notifications(), 10U);
  EXPECT_EQ(pair.client.take_notification()->params.at("n"), 10);
}

TEST(Client, ReadsWhileItWritesSoThatNeitherSideBlocks) {
  Pair pair;
  // The peer sends 8 MiB before it reads anything of our 8 MiB.
  std::thread peer([&] {
    const std::string big(8U << 20, 'x');
    pair.send("{\"method\":\"m\",\"params\":{\"t\":\"" + big + "\"}}\n");
    std::array<char, 65536> buffer;
    std::size_t got = 0;
    while (got < (8U << 20)) {
      const ssize_t n = ::recv(pair.peer, buffer.data(), buffer.size(), 0);
      if (n <= 0) return;
      got += static_cast<std::size_t>(n);
    }
    pair.send("{\"id\":1,\"result\":{\"ok\":true}}\n");
  });
  json::object params;
  params["text"] = std::string(8U << 20, 'y');
  const auto reply = pair.client.call("a", params);
  peer.join();
  ASSERT_TRUE(reply);
  EXPECT_EQ(pair.client.take_notification()->params.at("t").as_string().size(),
            8U << 20);
}

TEST(Client, RefusesARequestOverTheLimitBeforeSendingIt) {
  Pair pair;
  json::object params;
  params["text"] = std::string(kDefaultMaxFrame + 1, 'y');
  const auto reply = pair.client.call("a", params);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::frame_too_large);
}

TEST(Client, AnInterruptEndsTheWaitAndTheRequestStaysOpen) {
  Pair pair;
  std::array<int, 2> wake{};
  ASSERT_EQ(::pipe(wake.data()), 0);
  ASSERT_EQ(::write(wake[1], "x", 1), 1);
  pair.client.interrupt_with(wake[0]);
  auto id = pair.client.send("a", {});
  const auto reply = pair.client.wait(*id);
  ASSERT_FALSE(reply);
  EXPECT_EQ(client_fault(reply.error()), ClientFault::interrupted);
  pair.client.interrupt_with(-1);
  pair.send("{\"id\":1,\"result\":{}}\n");
  EXPECT_TRUE(pair.client.wait(*id));
  ::close(wake[0]);
  ::close(wake[1]);
}

TEST(Client, APeerThatSpeaksSomethingElseIsToldApart) {
  Pair pair;
  pair.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  const auto reply = pair.client.call("ping", {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(client_fault(reply.error()), ClientFault::garbled);
}

TEST(Client, ReadsAReplyThatComesByteByByte) {
  Pair pair;
  auto id = pair.client.send("a", {});
  std::thread sender([&] {
    for (const char c : std::string("{\"id\":1,\"result\":{\"n\":1}}\n")) {
      pair.send({&c, 1});
    }
  });
  EXPECT_EQ(pair.client.wait(*id)->at("n"), 1);
  sender.join();
}

}  // namespace
}  // namespace toolhost
