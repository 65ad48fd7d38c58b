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

TEST_F(BadInput, ADuplicateIdInFlightIsRefusedAndTheFirstGoesOn) {
  Client gui = daemon.control();
  auto agent = daemon.agent();
  agent->call("openSession", {{"workspace", daemon.workspace()}});
  const auto id =
      agent->client()
          .send("execute",
                {{"name", "write"},
                 {"arguments", json::object{{"path", "a"}, {"content", "b"}}}})
          .value();
  ASSERT_TRUE(agent->client().send_frame(R"({"jsonrpc":"2.0","id":)" +
                                         std::to_string(id) +
                                         R"(,"method":"ping"})"));
  // The first reply of this id is the refusal.
  const auto refused = agent->client().wait(id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid_request);
  EXPECT_EQ(refused.error().message, "The id " + std::to_string(id) +
                                         " is in flight on this connection.");
  EXPECT_EQ(refused.error().hint, "Give every request an id of its own.");
  // The question is on disk before it is asked.
  EXPECT_TRUE(eventually([&] {
    return gui.call("listApprovals", {})->at("approvals").as_array().size() ==
           1;
  }));
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
  EXPECT_EQ(text_at(*reply, "error.message"),
            "The path \"a\\u{0000}b\" holds a NUL byte.");
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

// Reading a reply parses it: bytes that are no text would fail here.
TEST_F(BadInput, NoBytesOfFilesNamesOrCommandsBreakAReply) {
  const std::string bad = "\xff\xfe\xc3(\x80\xed\xa0\x80";
  // Not at the start: there it would be the mark of UTF-16.
  write_file(daemon.path("name-" + bad), "x" + bad + "\n");
  DaemonProcess free(
      R"({"sessions": {"sandboxMode": "danger-full-access",
                       "approvalPolicy": "auto"}})");
  Client gui = free.control();
  const auto text_of = [&](const char* tool, json::object arguments) {
    const auto reply = gui.call("execute", {{"name", tool},
                                            {"workspace", daemon.workspace()},
                                            {"arguments", arguments}});
    EXPECT_TRUE(reply) << tool << ": " << reply.error().message;
    return text_at(*reply, "content.0.text");
  };
  // The near name that the error offers is the bad one.
  EXPECT_NE(text_of("read", {{"path", "name-"}}).find("name-"),
            std::string::npos);
  EXPECT_NE(text_of("ls", {}).find("name-"), std::string::npos);
  EXPECT_NE(text_of("glob", {{"pattern", "name-*"}}).find("name-"),
            std::string::npos);
  EXPECT_NE(text_of("grep", {{"pattern", "\\("}}).find("("), std::string::npos);
  const std::string output = text_of(
      "bash", {{"command", "cat name-*; cat name-* >&2; ./name-* ; exit 3"}});
  EXPECT_NE(output.find("\ufffd"), std::string::npos) << output;
  EXPECT_TRUE(gui.call("ping", {}));
}

}  // namespace
}  // namespace toolhost::testing
