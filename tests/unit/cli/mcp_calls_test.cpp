// The MCP server against a scripted daemon: calls, and what happens to them.
#include "tests/unit/cli/mcp_fixture.hpp"

namespace toolhost::cli::mcp {
namespace {

using ::testing::HasSubstr;

class McpCalls : public McpFixture {};

TEST_F(McpCalls, EveryCallHasAnIdAndAKeyOfItsOwn) {
  begin();
  client().send(call("1"));
  client().next();
  client().send(call("\"1\""));
  EXPECT_EQ(text_of(client().next()), "done");
  const auto calls = daemon.seen("execute");
  EXPECT_EQ(calls.at(0).at("arguments").at("path"), "a");
  EXPECT_EQ(calls.at(0).at("mode"), "wait");
  EXPECT_EQ(calls.at(0).at("stream"), "none");
  EXPECT_NE(calls.at(0).at("callId"), calls.at(1).at("callId"));
  EXPECT_NE(calls.at(0).at("idempotencyKey"), calls.at(1).at("idempotencyKey"));
}

TEST_F(McpCalls, ProgressIsPassedOnAndRises) {
  be_silent("execute");
  begin();
  daemon.on(
      "execute", [this](const json::object& params) -> Result<json::object> {
        const std::string id(params.at("callId").as_string());
        for (const char* message : {"one", "two"}) {
          daemon.notify_after(
              "execute", R"({"method":"call/progress","params":{"callId":")" +
                             id + R"(","message":")" + message + R"("}})");
        }
        return FakeDaemon::silence();
      });
  client().send(call("1", R"({"progressToken":"t"})"));
  // What is told "after" a request is told after the next one: this one.
  client().send(call("2", R"({"progressToken":7})"));
  const json::object first = client().next();
  EXPECT_EQ(first.at("method"), "notifications/progress");
  EXPECT_EQ(first.at("params").at("progressToken"), "t");
  EXPECT_EQ(first.at("params").at("message"), "one");
  const json::object second = client().next();
  EXPECT_EQ(second.at("params").at("message"), "two");
  EXPECT_GT(second.at("params").at("progress").as_int64(),
            first.at("params").at("progress").as_int64());
  EXPECT_EQ(daemon.seen("execute").at(0).at("stream"), "progress");
}

TEST_F(McpCalls, WhileAPersonDecidesThereAreSignsOfLife) {
  be_silent("execute");
  answer("getCall", R"({"call":{"state":"waitingForApproval"}})");
  options.limits.patience = Milliseconds(1);
  options.limits.sign_of_life = Milliseconds(1);
  begin();
  client().send(call("1", R"({"progressToken":1})"));
  for (int i = 1; i <= 3; ++i) {
    const json::object told = client().next();
    EXPECT_EQ(told.at("params").at("progress"), i);
    EXPECT_THAT(std::string(told.at("params").at("message").as_string()),
                HasSubstr("toolhost inbox"));
  }
}

TEST_F(McpCalls, ACancelledCallIsCancelledAndNotAnswered) {
  be_silent("execute");
  begin();
  client().send(call("1"));
  const json::object sent = seen("execute", 1).at(0);
  client().send(note("notifications/cancelled",
                     R"({"requestId":1,"reason":"no longer needed"})"));
  client().send(line("2", "ping"));
  EXPECT_EQ(client().next().at("id"), 2);
  const json::object cancelled = seen("cancel", 1).at(0);
  EXPECT_EQ(cancelled.at("callId"), sent.at("callId"));
  EXPECT_EQ(cancelled.at("reason"), "no longer needed");
}

TEST_F(McpCalls, ACallSurvivesALostConnectionWithItsKey) {
  be_silent("execute");
  begin();
  client().send(call("1"));
  seen("execute", 1);
  answer("execute", kDone);
  daemon.drop_connections();
  EXPECT_EQ(text_of(client().next()), "done");
  const auto calls = daemon.seen("execute");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0], calls[1]);
}

TEST_F(McpCalls, ACallThatIsCancelledWhileTheDaemonIsAwayIsCancelledLater) {
  be_silent("execute");
  begin();
  client().send(call("1"));
  const json::object sent = seen("execute", 1).at(0);
  daemon.on("initialize", [](const json::object&) -> Result<json::object> {
    return make_error(Code::shutting_down, "Not yet.");
  });
  daemon.drop_connections();
  client().send(note("notifications/cancelled", R"({"requestId":1})"));
  client().send(line("2", "ping"));
  EXPECT_EQ(client().next().at("id"), 2);
  answer("initialize",
         R"({"protocolVersion":1,"connectionId":"c","epoch":"e2"})");
  EXPECT_EQ(seen("cancel", 1).at(0).at("callId"), sent.at("callId"));
  EXPECT_EQ(daemon.seen("execute").size(), 1U);
}

TEST_F(McpCalls, WhatADaemonThatStopsDidNotBeginIsSentToTheNext) {
  be_silent("execute");
  daemon.notify_after("execute", R"({"method":"server/stopping","params":{}})");
  // The reply to execute, the third request of the connection.
  daemon.notify_after("execute",
                      R"({"id":3,"result":{"isError":true,"content":[],)"
                      R"("error":{"kind":"approvalWithdrawn"}}})");
  begin();
  client().send(call("1"));
  seen("execute", 1);
  answer("execute", kDone);
  daemon.drop_connections();
  EXPECT_EQ(text_of(client().next()), "done");
  const auto calls = daemon.seen("execute");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].at("idempotencyKey"), calls[1].at("idempotencyKey"));
}

TEST_F(McpCalls, ADaemonThatDoesNotComeBackIsGivenUpWithAWarning) {
  be_silent("execute");
  options.limits.absence = Milliseconds(1);
  auto own = std::make_unique<FakeDaemon>();
  own->on("execute", [](const json::object&) -> Result<json::object> {
    return FakeDaemon::silence();
  });
  options.socket = own->path();
  begin();
  client().send(call("1"));
  while (own->seen("execute").empty()) std::this_thread::yield();
  own.reset();
  const json::object reply = client().next();
  EXPECT_EQ(reply.at("result").at("isError"), true);
  EXPECT_THAT(text_of(reply), HasSubstr("look at the current state"));
}

TEST_F(McpCalls, AnUnknownToolIsAnErrorOfTheProtocol) {
  daemon.on("execute", [](const json::object&) -> Result<json::object> {
    return make_error(Code::tool_not_found, "No raed.", "Use read.");
  });
  begin();
  client().send(call("1"));
  const json::object reply = client().next();
  EXPECT_EQ(reply.at("error").at("code"), kInvalidParams);
  EXPECT_EQ(reply.at("error").at("message"), "No raed. Use read.");
}

TEST_F(McpCalls, AnIdThatIsOpenIsRefused) {
  be_silent("execute");
  begin();
  client().send(call("1"));
  client().send(call("1"));
  EXPECT_EQ(client().next().at("error").at("code"), kInvalidRequest);
  seen("execute", 1);
  client().send(call("1"));
  EXPECT_EQ(client().next().at("error").at("code"), kInvalidRequest);
}

TEST_F(McpCalls, MoreThanTheDaemonTakesAtOnceWaitsHere) {
  be_silent("execute");
  begin();
  for (std::size_t i = 0; i < Requests::kMaxSent + 5; ++i) {
    client().send(call(std::to_string(i)));
  }
  client().send(line("\"last\"", "ping"));
  EXPECT_EQ(client().next().at("id"), "last");
  EXPECT_EQ(seen("execute", Requests::kMaxSent).size(), Requests::kMaxSent);
}

TEST_F(McpCalls, MoreThanTheLimitIsRefused) {
  be_silent("execute");
  options.limits.open = 2;
  begin();
  for (const char* id : {"1", "2", "3"}) client().send(call(id));
  EXPECT_EQ(client().next().at("id"), 3);
}

TEST_F(McpCalls, TheEndOfTheInputCancelsWhatRunsAndEnds) {
  be_silent("execute");
  begin();
  client().send(call("1"));
  const json::object sent = seen("execute", 1).at(0);
  client().close_input();
  EXPECT_TRUE(client().ended());
  EXPECT_EQ(seen("cancel", 1).at(0).at("callId"), sent.at("callId"));
}

TEST_F(McpCalls, WhatIsQuickIsAnsweredAfterTheEndOfTheInput) {
  options.last_wait = Milliseconds(10'000);
  client().send(line("0", "initialize", R"({"protocolVersion":"2025-06-18"})"));
  client().send(call("1"));
  client().close_input();
  EXPECT_EQ(client().next().at("id"), 0);
  EXPECT_EQ(text_of(client().next()), "done");
}

}  // namespace
}  // namespace toolhost::cli::mcp
