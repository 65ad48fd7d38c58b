// Bytes and requests that are wrong: each costs only who sent them.
#include <gtest/gtest.h>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

class BadInput : public ::testing::Test {
 protected:
  // What comes back for these bytes, until `want` is in it or 10 s passed.
  std::string answer(std::string_view bytes, const std::string& want) {
    const int fd = connect_socket(daemon.control_socket());
    std::string got;
    try {
      write_bytes(fd, bytes);
    } catch (const std::runtime_error&) {
      // It answered and closed before everything was sent.
    }
    bool ended = false;
    const auto end = std::chrono::steady_clock::now() + Milliseconds(10'000);
    while (got.find(want) == std::string::npos && !ended) {
      const std::string more = read_bytes(fd, end, ended);
      if (more.empty()) break;
      got += more;
    }
    close_fd(fd);
    return got;
  }

  void expect_alive() {
    Client client = daemon.control();
    EXPECT_TRUE(client.call("ping", {}));
  }

  DaemonProcess daemon;
};

constexpr std::string_view kPing =
    "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"ping\"}\n";

TEST_F(BadInput, AFrameOverTheLimitIsToldAndEndsTheConnection) {
  const std::string big =
      "{\"a\":\"" + std::string((16U << 20) + 1, 'x') + "\"}\n";
  EXPECT_NE(answer(big, "frameTooLarge").find("frameTooLarge"),
            std::string::npos);
  expect_alive();
}

TEST_F(BadInput, ALineWithoutAnEndIsCutAtTheLimit) {
  const std::string endless = "{" + std::string(17U << 20, ' ');
  EXPECT_NE(answer(endless, "frameTooLarge").find("frameTooLarge"),
            std::string::npos);
  expect_alive();
}

TEST_F(BadInput, DepthTenThousandIsAParseErrorAndTheNextLineWorks) {
  const std::string deep = "{\"a\":" + std::string(10'000, '[') + "\n";
  const std::string got = answer(deep + std::string(kPing), "\"id\":99");
  EXPECT_NE(got.find("parseError"), std::string::npos);
  EXPECT_NE(got.find("uptimeMs"), std::string::npos);
}

TEST_F(BadInput, BytesThatAreNotUtf8AreAParseError) {
  const std::string bad =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n";
  const std::string got = answer(bad + std::string(kPing), "\"id\":99");
  EXPECT_NE(got.find("parseError"), std::string::npos);
}

TEST_F(BadInput, ALoneSurrogateIsAParseError) {
  const std::string bad =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}\n";
  EXPECT_NE(answer(bad, "parseError").find("parseError"), std::string::npos);
}

TEST_F(BadInput, OfDuplicateKeysTheLastCounts) {
  const std::string twice =
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"nothing\","
      "\"method\":\"ping\"}\n";
  EXPECT_NE(answer(twice, "\"id\":7").find("uptimeMs"), std::string::npos);
}

TEST_F(BadInput, ADuplicateIdInFlightIsRefused) {
  Client gui = daemon.control();
  auto agent = daemon.agent();
  agent->call("openSession", {{"workspace", daemon.workspace()}});
  const std::string wait =
      R"({"jsonrpc":"2.0","id":1000,"method":"execute","params":)"
      R"({"name":"write","arguments":{"path":"a","content":"b"}}})";
  ASSERT_TRUE(agent->client().send_frame(wait));
  ASSERT_TRUE(agent->client().send_frame(wait));
  ASSERT_TRUE(eventually([&] {
    return !agent->client().pump(Milliseconds(10)) ||
           daemon.log().find("1000") != std::string::npos ||
           gui.call("status", {}).has_value();
  }));
  auto list = gui.call("listApprovals", {});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->at("approvals").as_array().size(), 1u);
}

TEST_F(BadInput, ContentLengthHeadersWorkForTheWholeConnection) {
  const std::string body = R"({"jsonrpc":"2.0","id":3,"method":"ping"})";
  const std::string got = answer(
      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
      "uptimeMs");
  EXPECT_EQ(got.find("Content-Length: "), 0u);
  EXPECT_NE(got.find("uptimeMs"), std::string::npos);
}

TEST_F(BadInput, ANulInAPathIsRefusedInWords) {
  Client gui = daemon.control();
  auto reply =
      gui.call("execute",
               {{"name", "read"},
                {"arguments", json::object{{"path", std::string("a\0b", 3)}}}});
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_at(*reply, "error.kind"), "pathBlocked");
}

TEST_F(BadInput, OneByteASecondAndSilentConnectionsCostNothing) {
  std::vector<int> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(connect_socket(daemon.control_socket()));
  }
  write_bytes(idle[0], "{");
  write_bytes(idle[1], "{\"jsonrpc\"");
  Client gui = daemon.control();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(gui.call("ping", {}));
  for (const int fd : idle) close_fd(fd);
}

TEST_F(BadInput, FiveHundredConnectionsAreServedAndTheLimitIsTold) {
  // 256 per process: this test's process and two relays carry the rest.
  std::vector<int> mine;
  std::string refusal;
  for (int i = 0; i < 300 && refusal.empty(); ++i) {
    const int fd = connect_socket(daemon.control_socket());
    mine.push_back(fd);
    write_bytes(fd, kPing);
    bool ended = false;
    const std::string got = read_bytes(
        fd, std::chrono::steady_clock::now() + Milliseconds(5000), ended);
    if (got.find("quotaExceeded") != std::string::npos) refusal = got;
  }
  EXPECT_NE(refusal.find("quotaExceeded"), std::string::npos);
  EXPECT_GE(mine.size(), 256u);
  std::vector<std::unique_ptr<RelayProcess>> others;
  for (int i = 0; i < 244; ++i) {
    others.push_back(std::make_unique<RelayProcess>(daemon.control_socket()));
  }
  write_bytes(others.back()->fd(), kPing);
  bool ended = false;
  const std::string got = read_bytes(
      others.back()->fd(),
      std::chrono::steady_clock::now() + Milliseconds(10'000), ended);
  EXPECT_NE(got.find("uptimeMs"), std::string::npos);
  for (const int fd : mine) close_fd(fd);
}

TEST_F(BadInput, AClientThatNeverReadsOnlyStopsItself) {
  const int deaf = connect_socket(daemon.control_socket());
  Client gui = daemon.control();
  // Sends until the daemon stops reading it.
  std::string many;
  for (int i = 0; i < 2000; ++i) {
    many += "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(i) +
            ",\"method\":\"rpc.discover\"}\n";
  }
  send_without_waiting(deaf, many);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(gui.call("ping", {}, Milliseconds(5000)));
  }
  close_fd(deaf);
}

TEST_F(BadInput, TooManyRequestsInFlightAreOverloadedButPingWorks) {
  auto agent = daemon.agent();
  agent->call("openSession", {{"workspace", daemon.workspace()}});
  std::vector<Client::RequestId> ids;
  for (int i = 0; i < 64; ++i) {
    const json::object params{
        {"name", "write"},
        {"arguments",
         json::object{{"path", "f" + std::to_string(i)}, {"content", "x"}}}};
    ids.push_back(agent->client().send("execute", params).value());
  }
  const json::object one_more{{"name", "ls"}};
  EXPECT_EQ(agent->error_kind("execute", one_more), "overloaded");
  EXPECT_EQ(agent->error_kind("ping", {}), "");
}

TEST_F(BadInput, AnErrorWithBadBytesIsStillValidJson) {
  write_file(daemon.path("x.txt"), "a\n");
  Client gui = daemon.control();
  auto reply = gui.call(
      "execute",
      {{"name", "grep"}, {"arguments", json::object{{"pattern", "(["}}}});
  ASSERT_TRUE(reply);
  EXPECT_EQ(at(*reply, "isError"), true);
  EXPECT_FALSE(text_at(*reply, "error.message").empty());
}

}  // namespace
}  // namespace toolhost::testing
